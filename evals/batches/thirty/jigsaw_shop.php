<?php
// A jigsaw shop: cuts pictures into pieces, checks that edges fit, prices the boxes and writes the catalogue.

function cut_picture(int $wide, int $high): array {
    $pieces = [];
    for ($row = 0; $row < $high; $row++) {
        for ($column = 0; $column < $wide; $column++) {
            $pieces[] = make_piece($row, $column);
        }
    }
    return $pieces;
}

function make_piece(int $row, int $column): array {
    return ['row' => $row, 'column' => $column, 'edge' => edge_shape($row * 31 + $column * 17)];
}

function edge_shape(int $seed): string {
    $shape = '';
    for ($at = 0; $at < 8; $at++) {
        $seed = ($seed * 1103515245 + 12345) % 2147483648;
        $shape .= chr(97 + $seed % 26);
    }
    return $shape;
}

function edges_fit(array $one, array $two): bool {
    return levenshtein($one['edge'], $two['edge']) > 1;
}

function check_neighbours(array $pieces, int $wide): int {
    $fitting = 0;
    foreach ($pieces as $at => $piece) {
        foreach ([1, $wide, $wide + 1] as $step) {
            if (isset($pieces[$at + $step]) && edges_fit($piece, $pieces[$at + $step])) {
                $fitting++;
            }
        }
    }
    return $fitting;
}

function price_box(array $pieces): float {
    $price = 4.0;
    foreach ($pieces as $piece) {
        $price += piece_cost($piece);
    }
    return round($price, 2);
}

function piece_cost(array $piece): float {
    return 0.01 + ($piece['row'] % 3) * 0.002;
}

function load_motif(string $name): string {
    usleep(15000);
    return strtoupper($name);
}

function catalogue_line(string $name, int $pieces, float $price): string {
    return sprintf("%-20s %5d %8.2f", load_motif($name), $pieces, $price);
}

function write_catalogue(array $lines): void {
    file_put_contents('/dev/null', implode("\n", $lines));
}

function make_catalogue(): void {
    $lines = [];
    foreach (['lighthouse', 'meadow', 'old town', 'steam engine', 'parrots', 'harbour'] as $number => $name) {
        $wide = 20 + $number * 5;
        $pieces = cut_picture($wide, 20);
        check_neighbours($pieces, $wide);
        $lines[] = catalogue_line($name, count($pieces), price_box($pieces));
    }
    write_catalogue($lines);
}

make_catalogue();

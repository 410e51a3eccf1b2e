<?php
// An optician's price list: reads prescriptions, finds a lens for each eye, prints the invoices.

function readPrescriptions(int $count): array {
    $rows = [];
    for ($i = 0; $i < $count; $i++) {
        $rows[] = parsePrescription(sprintf("%d;%.2f;%.2f;%d", $i, ($i % 33) / 4 - 4, ($i % 9) / 4, $i % 180));
    }
    return $rows;
}

function parsePrescription(string $line): array {
    [$id, $sphere, $cylinder, $axis] = explode(";", $line);
    return ["id" => (int) $id, "sphere" => (float) $sphere, "cylinder" => (float) $cylinder, "axis" => (int) $axis];
}

function lensCatalogue(): array {
    $lenses = [];
    for ($i = 0; $i < 160; $i++) {
        $lenses[] = ["name" => "L" . $i, "sphere" => $i / 16 - 5, "cylinder" => ($i % 12) / 4, "price" => 40 + $i % 37];
    }
    return $lenses;
}

function mismatch(array $lens, array $eye): float {
    return abs($lens["sphere"] - $eye["sphere"]) + abs($lens["cylinder"] - $eye["cylinder"]);
}

function bestLens(array $eye): array {
    $best = null;
    $least = INF;
    foreach (lensCatalogue() as $lens) {
        $now = mismatch($lens, $eye);
        if ($now < $least) {
            $least = $now;
            $best = $lens;
        }
    }
    return $best;
}

function coatings(array $lens): array {
    if ($lens["price"] > 66) {
        usleep(300);
    }
    return ["hard" => 12, "anti-glare" => 25];
}

function invoiceLine(array $eye, array $lens): string {
    $total = $lens["price"] + array_sum(coatings($lens));
    return str_pad($lens["name"], 8) . number_format($total, 2);
}

function printInvoices(array $eyes): string {
    $out = "";
    foreach ($eyes as $eye) {
        $out .= invoiceLine($eye, bestLens($eye)) . "\n";
    }
    return $out;
}

function checkSum(string $text): string {
    for ($i = 0; $i < 40; $i++) {
        $text = hash("sha256", $text);
    }
    return $text;
}

echo checkSum(printInvoices(readPrescriptions(220))), "\n";

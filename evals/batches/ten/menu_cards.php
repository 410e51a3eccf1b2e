<?php
// Prints the menus of a chain of canteens: prices are looked up dish by dish.
function load_prices(int $n): array {
    $prices = [];
    for ($i = 0; $i < $n; $i++) { $prices["dish$i"] = ($i * 37) % 900 + 150; }
    return $prices;
}
function price_of(array $list, string $dish): int {
    foreach ($list as $row) { if ($row[0] === $dish) { return $row[1]; } }
    return 0;
}
function allergens(string $dish): string {
    return strtoupper(substr(md5($dish), 0, 4));
}
function card(array $list, array $dishes): string {
    $lines = [];
    foreach ($dishes as $dish) {
        $lines[] = sprintf("%-12s %6.2f %s", $dish, price_of($list, $dish) / 100, allergens($dish));
    }
    return implode("\n", $lines);
}
function menu_of_day(array $list, int $day): string {
    $dishes = [];
    for ($i = 0; $i < 40; $i++) { $dishes[] = "dish" . (($day * 53 + $i * 17) % 600); }
    return card($list, $dishes);
}
function archive(array $cards): string {
    return gzcompress(serialize($cards), 6);
}
$prices = load_prices(600);
$list = [];
foreach ($prices as $name => $value) { $list[] = [$name, $value]; }
$cards = [];
for ($day = 0; $day < 60; $day++) { $cards[] = menu_of_day($list, $day); }
echo strlen(archive($cards)), "\n";

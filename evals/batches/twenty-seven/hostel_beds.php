<?php
// A youth hostel: finds free beds for groups of guests, prices the nights, and prints vouchers.
function free_beds(array $rooms, int $night): array {
    $free = [];
    foreach ($rooms as $room) {
        if (!is_taken($room, $night)) { $free[] = $room; }
    }
    return $free;
}
function is_taken(array $room, int $night): bool {
    return in_array($night, $room['taken'], true);
}
function season_price(int $night): float {
    usleep(400);
    return 18.5 + ($night % 7 > 4 ? 4 : 0);
}
function price_of_stay(int $from, int $nights): float {
    $total = 0;
    for ($night = $from; $night < $from + $nights; $night++) { $total += season_price($night); }
    return $total;
}
function voucher(int $group, float $price): string {
    return str_pad((string) $group, 6, '0', STR_PAD_LEFT) . ' ' . number_format($price, 2) . ' ' . md5("group $group");
}
function make_rooms(int $count): array {
    $rooms = [];
    for ($at = 0; $at < $count; $at++) { $rooms[] = ['number' => $at, 'taken' => range($at % 9, 60 + $at % 9, 3)]; }
    return $rooms;
}
function place_group(array &$rooms, int $group): ?string {
    $from = $group % 50;
    $nights = 2 + $group % 4;
    for ($night = $from; $night < $from + $nights; $night++) {
        if (count(free_beds($rooms, $night)) < 3) { return null; }
    }
    return voucher($group, price_of_stay($from, $nights));
}
function main(): void {
    $rooms = make_rooms(80);
    $vouchers = [];
    for ($group = 0; $group < 120; $group++) { $vouchers[] = place_group($rooms, $group); }
    echo count(array_filter($vouchers)), "\n";
}
main();

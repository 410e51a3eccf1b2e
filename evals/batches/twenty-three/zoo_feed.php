<?php
// The feeding plan of a zoo: the factor of the season is worked out anew for each portion, and each is written to a log.
function animals(int $count): array {
    $kinds = ['otter', 'tapir', 'lemur', 'heron', 'gecko'];
    $found = [];
    for ($n = 0; $n < $count; $n++) $found[] = ['name' => $kinds[$n % 5] . "-$n", 'kind' => $kinds[$n % 5], 'kilos' => 1 + $n * 13 % 90];
    return $found;
}
function log_line(string $text): void {
    $file = fopen('feed.log', 'a');
    flock($file, LOCK_EX);
    fwrite($file, date('c') . " $text\n");
    fflush($file);
    flock($file, LOCK_UN);
    fclose($file);
}
function portion(array $animal, string $meal): float {
    $share = ['morning' => 0.5, 'noon' => 0.2, 'evening' => 0.3][$meal];
    return round($animal['kilos'] * 0.04 * $share, 3);
}
function season_factor(int $month): float {
    $sum = 0.0;
    for ($d = 0; $d < 365; $d++) {
        for ($h = 0; $h < 6; $h++) $sum += ($d * $month + $h * $h) % 97;
    }
    return 1 + $sum / 1e7;
}
function feed(array $animal, string $meal, int $month): float {
    $amount = portion($animal, $meal) * season_factor($month);
    log_line(sprintf('%s gets %.3f kg (%s)', $animal['name'], $amount, $meal));
    return $amount;
}
function shopping_list(array $plan): string {
    ksort($plan);
    $lines = [];
    foreach ($plan as $kind => $kilos) $lines[] = str_pad($kind, 10) . number_format($kilos, 1);
    return implode("\n", $lines);
}
$plan = [];
foreach (animals(260) as $animal) {
    foreach (['morning', 'noon', 'evening'] as $meal) {
        $plan[$animal['kind']] = ($plan[$animal['kind']] ?? 0) + feed($animal, $meal, 5);
    }
}
echo shopping_list($plan), "\n";

<?php
// Departure boards of a tram network: stops, lines, running days.

function make_rows(int $n): array {
    $rows = [];
    for ($i = 0; $i < $n; $i++) {
        $rows[] = sprintf('L%d;Stop %d;%02d:%02d;2025-%02d-%02d', $i % 12, $i % 90, 5 + $i % 18, $i * 7 % 60, 1 + $i % 12, 1 + $i % 28);
    }
    return $rows;
}

function parse_row(string $row): array {
    [$line, $stop, $time, $day] = explode(';', $row);
    return ['line' => $line, 'stop' => $stop, 'minutes' => to_minutes($time), 'holiday' => is_holiday($day)];
}

function to_minutes(string $time): int {
    preg_match('/^(\d+):(\d+)$/', $time, $found);
    return 60 * (int) $found[1] + (int) $found[2];
}

function load_holidays(): array {
    $days = [];
    for ($month = 1; $month <= 12; $month++) {
        $days[] = date('Y-m-d', strtotime(sprintf('2025-%02d-15', $month)));
    }
    return $days;
}

function is_holiday(string $day): bool {
    return in_array($day, load_holidays(), true);
}

function group_by_stop(array $departures): array {
    $boards = [];
    foreach ($departures as $one) {
        $boards[$one['stop']][] = $one;
    }
    return $boards;
}

function by_minutes(array $a, array $b): int {
    return $a['minutes'] <=> $b['minutes'];
}

function draw_board(string $stop, array $departures): string {
    usort($departures, 'by_minutes');
    $lines = [str_pad($stop, 20)];
    foreach ($departures as $one) {
        $lines[] = format_line($one);
    }
    return implode("\n", $lines);
}

function format_line(array $one): string {
    return sprintf('%02d:%02d %s %s', intdiv($one['minutes'], 60), $one['minutes'] % 60, $one['line'], $one['holiday'] ? '*' : '');
}

$departures = array_map('parse_row', make_rows(1400));
$text = '';
foreach (group_by_stop($departures) as $stop => $list) {
    $text .= draw_board($stop, $list);
}
echo strlen($text), "\n";

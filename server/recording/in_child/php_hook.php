<?php
// Run by the recorded PHP before its program. A signal that the program does not handle ends it in order, so that what
// was recorded is kept. Where Excimer records, its samples become a recording at the end: one sample a stack, weighted
// by the periods that passed.
(static function (): void {
    $file = getenv('FLAMECHAT_EXCIMER_FILE');
    $type = getenv('FLAMECHAT_EXCIMER_TYPE');
    putenv('FLAMECHAT_EXCIMER_FILE');
    putenv('FLAMECHAT_EXCIMER_TYPE');
    $process = getmypid();
    if (function_exists('pcntl_async_signals')) {
        pcntl_async_signals(true);
        foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
            pcntl_signal($signal, static fn (int $number) => exit(128 + $number));
        }
    }
    if ($file === false || !class_exists('ExcimerProfiler')) {
        return;
    }
    $period = 0.001;
    [$frames, $numbers, $samples, $weights] = [[], [], [], []];
    $take = static function (ExcimerLog $log) use ($period, &$frames, &$numbers, &$samples, &$weights): void {
        foreach ($log as $entry) {
            $stack = [];
            foreach (array_reverse($entry->getTrace()) as $call) {
                $name = $call['function'] ?? ('{main} ' . basename($call['file'] ?? ''));
                $name = isset($call['class']) ? $call['class'] . '::' . $name : $name;
                $name = isset($call['closure_line']) ? $name . ':' . $call['closure_line'] : $name;
                $key = $name . "\0" . ($call['file'] ?? '');
                if (!isset($numbers[$key])) {
                    $numbers[$key] = count($frames);
                    $frames[] = ['name' => $name, 'file' => $call['file'] ?? ''];
                }
                $stack[] = $numbers[$key];
            }
            $samples[] = $stack;
            $weights[] = $entry->getEventCount() * $period;
        }
    };
    $profiler = new ExcimerProfiler();
    $profiler->setPeriod($period);
    $profiler->setEventType($type === 'wall' ? EXCIMER_REAL : EXCIMER_CPU);
    $profiler->setFlushCallback($take, 1000);
    // A period that ended just before the stop has a thread of its own, which locks what PHP destroys as it ends: Excimer
    // 1.0 and 1.1 then abort the program ("pthread_mutex_lock(): Invalid argument"). So such threads are waited for.
    $threads = static fn (): int => count(@scandir('/proc/self/task') ?: []);
    $usual = 0;
    $settled = static function () use ($threads, &$usual): void {
        for ($waits = 0; $waits < 2 || ($threads() > $usual && $waits < 200); $waits++) {
            usleep(1000);
        }
    };
    $write = static function () use ($profiler, $file, $process, $type, $settled, &$frames, &$samples, &$weights): void {
        if (getmypid() !== $process) { // a child that was forked off has another
            return;
        }
        $profiler->stop();
        $profiler->flush();
        $settled();
        $profile = ['type' => 'sampled', 'name' => "PHP ($type)", 'unit' => 'seconds', 'startValue' => 0];
        $profile += ['endValue' => array_sum($weights), 'samples' => $samples, 'weights' => $weights];
        $recording = ['$schema' => 'https://www.speedscope.app/file-format-schema.json'];
        $recording += ['exporter' => 'Excimer', 'shared' => ['frames' => $frames], 'profiles' => [$profile]];
        file_put_contents($file, json_encode($recording, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR));
    };
    // Registered while the program's own shutdown functions run, so that it is behind them.
    register_shutdown_function(static fn () => register_shutdown_function($write));
    $profiler->start();
    $usual = $threads();
})();

# Loaded into the recorded Ruby before its program: stackprof from its first line to its end, also after a signal.
require "json"
require "stackprof"

recording = ENV.delete("FLAMECHAT_STACKPROF_FILE")
mode = ENV.delete("FLAMECHAT_STACKPROF_MODE")
process = Process.pid

at_exit do
  if Process.pid == process # a child that was forked off has another
    StackProf.stop
    File.write(recording, JSON.generate(StackProf.results))
  end
end
StackProf.start(mode: mode.to_sym, raw: true, interval: mode == "object" ? 1 : 1000)

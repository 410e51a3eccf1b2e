# A signal box: the day's log is one text that is built anew with each line, and delays are looked for in a list.
require 'json'
require 'stackprof'

def make_trains(number)
  (0...number).map { |n| { 'id' => "IC #{n * 37 % 9000}", 'minute' => n % 1440, 'late' => n * 7 % 23 } }
end

def line_of(train)
  format("%-9s %02d:%02d +%d\n", train['id'], train['minute'] / 60, train['minute'] % 60, train['late'])
end

def write_log(trains)
  log = ''
  trains.each { |train| log += line_of(train) }
  log
end

def known?(seen, id)
  seen.include?(id)
end

def late_trains(trains)
  seen = []
  trains.each { |train| seen << train['id'] if train['late'] > 14 && !known?(seen, train['id']) }
  seen
end

def export(trains)
  JSON.generate(trains)
end

def day
  trains = make_trains(6000)
  write_log(trains).size + late_trains(trains).size + export(trains).size
end

report = StackProf.run(mode: :cpu, interval: 500, raw: true) { 3.times { day } }
File.write(ARGV[0], JSON.generate(report))

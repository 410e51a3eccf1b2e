# Loads of a gravel pit; lines of the report are put together as arrays of small strings that are thrown away. stackprof, mode cpu.
require 'stackprof'
require 'json'

def loads(count)
  (0...count).map { |n| { truck: "truck-#{n % 37}", grain: %w[sand fine coarse boulder][n % 4], tons: 3 + n * 7 % 22 } }
end

def line_of(load)
  fields = load.map { |key, value| key.to_s + '=' + value.to_s }
  fields.map { |field| field.chars.map { |one| one.upcase }.join }.join(';')
end

def report(list)
  list.map { |load| line_of(load) }.join("\n")
end

def tons_by_grain(list)
  list.each_with_object(Hash.new(0)) { |load, sums| sums[load[:grain]] += load[:tons] }
end

def sieve(grain_sizes)
  grain_sizes.select { |size| (2..Math.sqrt(size)).none? { |part| (size % part).zero? } }
end

def main
  list = loads(40000)
  3.times { report(list) }
  20.times { tons_by_grain(list) }
  sieve((2..60_000).to_a).size
end

profile = StackProf.run(mode: :cpu, interval: 1000, raw: true) { main }
File.write(ARGV[0], JSON.generate(profile))

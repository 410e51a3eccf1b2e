# Reads fields of a feed. With 1 a field is tried as a number by rescuing what Integer raises, with 0 it is looked at first.
require 'stackprof'

def make_fields(count)
  (0...count).map { |n| n % 3 == 0 ? (n * 7).to_s : "field #{n}" }
end

def number_or_text(field, trying)
  if trying
    begin
      Integer(field)
    rescue ArgumentError
      field
    end
  else
    field.match?(/\A\d+\z/) ? Integer(field) : field
  end
end

def deeper(field, trying, depth)
  depth.zero? ? number_or_text(field, trying) : deeper(field, trying, depth - 1)
end

def collect_words(values)
  values.grep(String).map { |value| value.split.first }.tally
end

def import(count, trying)
  values = make_fields(count).map { |field| deeper(field, trying, 40) }
  collect_words(values)
end

trying = ARGV[0] == '1'
StackProf.run(mode: :wall, interval: 1000, raw: true, out: 'p.dump') { import(trying ? 150_000 : 300_000, trying) }
require 'json'
File.write(ARGV[1], JSON.generate(Marshal.load(File.binread('p.dump'))))

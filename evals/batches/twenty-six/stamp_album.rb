# Sorts the stamps of an album and prints a price list.
require "json"
require "date"
require "stackprof"

Stamp = Struct.new(:country, :issued, :cents, :note)

class Album
  def initialize
    @stamps = []
  end

  def load(lines)
    lines.each { |line| @stamps << parse(line) }
  end

  def parse(line)
    country, issued, cents, note = line.split("|")
    Stamp.new(country, Date.strptime(issued, "%d.%m.%Y"), cents.to_i, tidy(note))
  end

  def tidy(note)
    note.gsub(/\s+/, " ").gsub(/[^\w ]/, "").strip
  end

  def duplicates
    @stamps.each_with_index.count do |stamp, at|
      @stamps[0...at].any? { |other| other.country == stamp.country && other.note == stamp.note }
    end
  end

  def price_list
    @stamps.sort_by { |stamp| [stamp.country, stamp.issued] }.map { |stamp| JSON.generate(stamp.to_h) }.join("\n")
  end
end

class PriceService
  def self.ask(country)
    sleep 0.03
    country.length * 3
  end
end

def lines
  countries = %w[Norway Peru Kenya Japan Malta Chile Ghana Nepal]
  Array.new(3400) do |n|
    format("%s|%02d.%02d.%d|%d|  blue,  no. %d  watermark ", countries[n % 8], n % 28 + 1, n % 12 + 1, 1900 + n % 90, n * 7 % 400, n * 13 % 2100)
  end
end

def run
  album = Album.new
  album.load(lines)
  12.times { album.price_list }
  puts album.duplicates
  24.times { |n| PriceService.ask("country #{n}") }
end

found = StackProf.run(mode: :wall, interval: 2000, raw: true) { run }
File.write(ARGV.fetch(0), JSON.generate(found))

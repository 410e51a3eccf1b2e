# Sums invoices: `ruby invoice_totals.rb MODE OUT.json SECONDS`. Planted (wall): Invoice#rate walks all tax rates for each
# line; (object): Invoice#to_row makes the strings.
require 'json'
require 'stackprof'

RATES = (0...400).map { |n| { country: "C#{n}", rate: 0.05 + n % 20 / 100.0 } }

class Invoice
  def initialize(lines)
    @lines = lines
  end

  def rate(country)
    RATES.each { |one| return one[:rate] if one[:country] == country }
    0
  end

  def total
    @lines.sum { |line| line[:amount] * (1 + rate(line[:country])) }
  end

  def to_row
    @lines.map { |line| "#{line[:country]};#{line[:amount]};#{line[:amount].to_s.rjust(12)}" }.join("\n")
  end
end

def make_invoice(n)
  Invoice.new((0...20).map { |i| { country: "C#{(n * 31 + i * 17) % 400}", amount: (n + i) % 900 } })
end

mode, out, seconds = ARGV[0].to_sym, ARGV[1], ARGV[2].to_f
options = mode == :wall ? { mode: :wall, interval: 2000, raw: true } : { mode: :object, interval: 400, raw: false }
profile = StackProf.run(**options) do
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  n = 0
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
    invoice = make_invoice(n)
    mode == :wall ? invoice.total : 4.times { invoice.to_row }
    n += 1
  end
end
File.write(out, JSON.generate(profile))

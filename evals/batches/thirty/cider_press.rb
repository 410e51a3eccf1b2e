# A cider press: sorts the apples, mills and presses them, waits for the must to settle and labels the bottles.
require "stackprof"
require "json"

class Apple
  attr_reader :weight, :sugar

  def initialize(at)
    @weight = 80 + (at * 13) % 70
    @sugar = 9.0 + (at * 7 % 50) / 10.0
  end
end

class CiderPress
  def initialize
    @bottles = []
  end

  def deliver(count)
    Array.new(count) { |at| Apple.new(at) }
  end

  def sort_apples(apples)
    apples.sort_by { |apple| [grade(apple), -apple.weight] }
  end

  def grade(apple)
    apple.sugar > 12.5 ? "A" : (apple.sugar > 11 ? "B" : "C")
  end

  def mill(apples)
    apples.map { |apple| crush(apple) }
  end

  def crush(apple)
    pulp = apple.weight.to_f
    40.times { |turn| pulp = (pulp * 1.03 + turn) % 211.0 }
    pulp
  end

  def press(pulp)
    pulp.each_slice(50).map { |cake| squeeze(cake) }
  end

  def squeeze(cake)
    cake.inject(0.0) { |sum, part| sum + Math.sqrt(part) * 1.7 }
  end

  def settle
    sleep 0.045
  end

  def bottle(must, batch)
    must.each { |litres| @bottles << { batch: batch, litres: litres.round(2), label: label(batch, litres) } }
  end

  def label(batch, litres)
    format("batch %03d / %.2f l / %s", batch, litres, batch.to_s.rjust(6, "0").reverse)
  end

  def stock_list
    JSON.pretty_generate(@bottles)
  end

  def press_day(batches)
    batches.times do |batch|
      apples = sort_apples(deliver(1500))
      must = press(mill(apples))
      settle
      bottle(must, batch)
      stock_list if (batch % 5).zero?
    end
  end
end

StackProf.run(mode: :wall, interval: 1000, raw: true, out: nil) { CiderPress.new.press_day(24) }.then do |found|
  File.write("cider.stackprof.json", JSON.generate(found))
end

# Pairs the dancers of a dance school by height and level and prints the cards of the ball.
require "stackprof"
require "json"

Dancer = Struct.new(:name, :height, :level, :role)

def make_dancers(count)
  (0...count).map { |i| Dancer.new("dancer #{i}", 150 + (i * 37) % 50, (i * 7) % 6, i.even? ? :lead : :follow) }
end

def score(lead, follow)
  (lead.height - follow.height - 8).abs + 5 * (lead.level - follow.level).abs
end

def best_partner(lead, free)
  free.min_by { |follow| score(lead, follow) }
end

def pair_up(dancers)
  leads, free = dancers.partition { |one| one.role == :lead }
  leads.map do |lead|
    follow = best_partner(lead, free)
    free = free - [follow]
    [lead, follow]
  end
end

def draw_card(pair, dances)
  card = ""
  dances.times { |number| card += format("%-20s %-20s dance %02d\n", pair[0].name, pair[1].name, number) }
  card
end

def print_cards(pairs)
  pairs.map { |pair| draw_card(pair, 40) }
end

def run
  dancers = make_dancers(700)
  40.times { print_cards(pair_up(dancers)) }
end

result = StackProf.run(mode: :wall, interval: 1000, raw: true) { run }
File.write(ARGV[0], JSON.generate(result))

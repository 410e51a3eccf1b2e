# A funfair counts tickets, plans the queues of its rides and prints a board of waiting times. Every fifth object is recorded.
require "stackprof"
require "json"
require "time"

RIDES = %w[carousel waltzer helter_skelter ghost_train big_wheel dodgems].freeze

def ticket_lines(count)
  (0...count).map { |n| "#{(Time.at(1_790_000_000 + n * 3).utc).iso8601};#{RIDES[n * 7 % 6]};#{n % 4 + 1}" }
end

def parse_ticket(line)
  at, ride, seats = line.split(";")
  { at: Time.parse(at), ride: ride, seats: seats.to_i }
end

def parse_tickets(lines)
  lines.map { |line| parse_ticket(line) }
end

def minute_key(ticket)
  ticket[:at].strftime("%H:%M") + ticket[:ride]
end

def count_by_minute(tickets)
  tickets.each_with_object(Hash.new(0)) { |ticket, sums| sums[minute_key(ticket)] += ticket[:seats] }
end

def queue_length(ride, tickets)
  waiting = 0
  tickets.each do |ticket|
    waiting += ticket[:seats] if ticket[:ride] == ride
    waiting -= 3 if waiting > 40
  end
  waiting
end

def plan_queues(tickets)
  RIDES.to_h { |ride| [ride, 25.times.sum { queue_length(ride, tickets) }] }
end

def push_board(text)
  sleep 0.02
  text.size
end

def show_board(queues)
  queues.each { |ride, length| push_board("#{ride}: #{length}") }
end

def run_evening
  lines = ticket_lines(3000)
  tickets = parse_tickets(lines)
  sums = count_by_minute(tickets)
  queues = plan_queues(tickets)
  show_board(queues)
  sums.size
end

StackProf.start(mode: :object, interval: 5, raw: true)
run_evening
StackProf.stop
File.write(ARGV[0], JSON.generate(StackProf.results))

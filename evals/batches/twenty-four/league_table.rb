# Makes the tables of a football league after each match day.
require 'stackprof'
require 'json'

Match = Struct.new(:home, :away, :home_goals, :away_goals)
TEAMS = (1..18).map { |n| "Rovers #{n}" }.freeze

def fixtures
  random = Random.new(24)
  (1..17).map do |day|
    TEAMS.rotate(day).each_slice(2).map { |home, away| Match.new(home, away, random.rand(5), random.rand(4)) }
  end
end

def points(match, team)
  mine, theirs = match.home == team ? [match.home_goals, match.away_goals] : [match.away_goals, match.home_goals]
  mine > theirs ? 3 : (mine == theirs ? 1 : 0)
end

def played_by(team, matches)
  matches.select { |match| match.home.downcase == team.downcase || match.away.downcase == team.downcase }
end

def row_of(team, matches)
  played = played_by(team, matches)
  { team: team, played: played.size, points: played.sum { |match| points(match, team) } }
end

def table(matches)
  TEAMS.map { |team| row_of(team, matches) }.sort_by { |row| [-row[:points], row[:team]] }
end

def format_row(row, place)
  "#{place}. #{row[:team].ljust(14)} #{row[:played]} #{row[:points]}"
end

def print_table(rows)
  text = +''
  rows.each_with_index { |row, index| text << format_row(row, index + 1) << "\n" }
  text
end

def season
  matches = []
  fixtures.map do |day|
    matches += day
    print_table(table(matches))
  end
end

StackProf.start(mode: :object, interval: 1, raw: true)
season
StackProf.stop
File.write(ARGV[0], JSON.generate(StackProf.results))

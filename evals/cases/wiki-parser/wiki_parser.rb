# Parses wiki text: `ruby wiki_parser.rb OUT.json SECONDS`. Planted: Scanner#next_token cuts the rest of the text off each time.
require 'json'
require 'stackprof'

class Scanner
  def initialize(text)
    @text = text
  end

  def next_token
    return nil if @text.empty?
    length = 1
    length += 1 while length < @text.length && @text[length] != ' '
    token = @text[0, length]
    @text = @text[length..]
    token
  end
end

def render(token)
  token.start_with?(' *') ? "<b>#{token}</b>" : token
end

def convert(text)
  scanner = Scanner.new(text)
  out = +''
  while (token = scanner.next_token)
    out << render(token)
  end
  out
end

profile = StackProf.run(mode: :cpu, interval: 2000, raw: true) do
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ARGV[1].to_f
  page = (0...800).map { |n| n % 5 == 0 ? "*w#{n}" : "words#{n}" }.join(' ')
  convert(page) while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
end
File.write(ARGV[0], JSON.generate(profile))

# A puppet theatre: plays scenes, moves strings, waits between the acts, and writes the cue sheet.
require "json"
require "stackprof"

class Puppet
  attr_reader :name, :strings

  def initialize(name, count)
    @name = name
    @strings = Array.new(count) { |at| at * 1.5 }
  end

  def pull_strings(beat)
    @strings = @strings.map { |length| bend(length, beat) }
  end

  def bend(length, beat)
    12.times { |at| length = (length * 1.01 + beat + at) % 97.0 }
    length
  end
end

class Stage
  def initialize(puppets)
    @puppets = puppets
    @cues = []
  end

  def play_scene(number)
    24.times do |beat|
      @puppets.each { |puppet| puppet.pull_strings(beat) }
      light_change(number, beat) if (beat % 6).zero?
      note_cue(number, beat)
    end
  end

  def light_change(number, beat)
    (0...400).sum { |lamp| (lamp * beat + number) % 31 }
  end

  def note_cue(number, beat)
    @cues << { scene: number, beat: beat, at: @cues.length }
  end

  def wait_for_curtain
    sleep 0.02
  end

  def cue_sheet
    JSON.generate(@cues)
  end

  def sort_cues
    @cues.sort_by { |cue| [cue[:beat], -cue[:at]] }
  end

  def run(scenes)
    scenes.times do |number|
      play_scene(number)
      wait_for_curtain
      cue_sheet
      sort_cues
    end
  end
end

StackProf.start(mode: :wall, interval: 1000, raw: true)
Stage.new([Puppet.new("fox", 90), Puppet.new("crow", 60), Puppet.new("miller", 120)]).run(40)
StackProf.stop
File.write(ARGV[0], JSON.generate(StackProf.results))

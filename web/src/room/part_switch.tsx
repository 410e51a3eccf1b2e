/** On a small window the chart and the conversation take turns; the question box stays in sight. */
export type RoomPart = "chart" | "chat";

const PARTS: [RoomPart, string][] = [
  ["chart", "Chart"],
  ["chat", "Conversation"],
];

export function PartSwitch({ shown, show }: { shown: RoomPart; show: (part: RoomPart) => void }) {
  return (
    <div class="part-switch" role="group" aria-label="Part of the room">
      {PARTS.map(([part, name]) => (
        <button key={part} type="button" aria-pressed={shown === part} onClick={() => show(part)}>
          {name}
        </button>
      ))}
    </div>
  );
}

/** Where the palette of commands is opened; it is fetched the first time. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../icons.tsx";
import type { RoomParts } from "./room_commands.ts";

type Loaded = typeof import("./command_palette.tsx");

export function PaletteButton({ parts }: { parts: RoomParts }) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const load = () =>
    void import("./command_palette.tsx").then(setLoaded, (error: Error) => parts.viewer.report(error.message));
  useEffect(() => {
    if (loaded) return;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) load();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [loaded]);
  if (loaded) return <loaded.CommandPalette parts={parts} />;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Commands"
      title="Commands, threads, functions and questions (Ctrl K)"
      onClick={load}
    >
      <Icon name="commands" />
    </button>
  );
}

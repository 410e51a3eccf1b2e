/** The question over recordings that an answer rests on, with its chart: fetched when there is one. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { answerShown } from "../questions/asked.ts";
import type { OpenQuestion } from "../questions/open_question.tsx";

export function AskedQuestion({ shows, prompt }: { shows: Record<string, unknown> | null; prompt: string }) {
  const [loaded, setLoaded] = useState<{ OpenQuestion: typeof OpenQuestion } | null>(null);
  const answer = useMemo(() => answerShown(shows, prompt), [shows, prompt]);
  useEffect(() => {
    import("../questions/open_question.tsx").then(setLoaded, () => undefined); // the rows stand in the step
  }, []);
  return loaded && answer && <loaded.OpenQuestion answer={answer} name={prompt} saysIt={false} />;
}

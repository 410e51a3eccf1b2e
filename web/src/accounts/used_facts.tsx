/** What people had remembered and an answer goes by: one quiet line that opens them; a click strikes one. */
import { useState } from "preact/hooks";
import { struck as struckFact } from "./core_memory.ts";

export function UsedFacts({ facts }: { facts: string[] }) {
  const [struck, setStruck] = useState<string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const strike = async (fact: string) => {
    try {
      setProblem(null);
      await struckFact(fact);
      setStruck((before) => [...before, fact]);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <details class="used-facts">
      <summary>{["used", facts.length, facts.length === 1 ? "thing" : "things", "you told me"].join(" ")}</summary>
      <ul aria-label="What the answer goes by">
        {facts.map((fact) => (
          <li key={fact}>
            <bdi>{fact}</bdi>{" "}
            {struck.includes(fact) ? (
              <small role="status">struck: no answer uses it from now on</small>
            ) : (
              <button type="button" aria-label={`Strike: ${fact}`} onClick={() => void strike(fact)}>
                Strike
              </button>
            )}
          </li>
        ))}
      </ul>
      {problem && <p role="alert">{problem}</p>}
    </details>
  );
}

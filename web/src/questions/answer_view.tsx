/** An answer over recordings: its sentence, its chart, its rows. */
import type { Answer } from "./asked.ts";
import { AnswerChart } from "./answer_chart.tsx";

const ROWS = 200;

export function AnswerView({ answer, name, saysIt = true }: { answer: Answer; name: string; saysIt?: boolean }) {
  return (
    <>
      {saysIt && (
        <p class="headline">
          <Plain text={answer.headline} />
        </p>
      )}
      {answer.notes.length > 0 && (
        <p class="note">
          <Plain text={answer.notes.join(" ")} />
        </p>
      )}
      <AnswerChart chart={answer.chart} name={name} />
      <Rows answer={answer} />
    </>
  );
}

/** The Markdown that answers have: names in code, a sentence in bold. */
function Plain({ text }: { text: string }) {
  const parts = text.replaceAll("**", "").split("`");
  return <>{parts.map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}

function Rows({ answer }: { answer: Answer }) {
  const { columns, rows } = answer.table;
  if (rows.length === 0) return null;
  const shown = rows.slice(-ROWS);
  const traces = tracesOf(answer);
  const first = rows.length - shown.length;
  return (
    <details class="answer-rows">
      <summary>
        {rows.length.toLocaleString("en")} {rows.length === 1 ? "row" : "rows"}
      </summary>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={index} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) => (
                  <td key={at}>
                    {at === 0 && traces[first + index] ? <a href={`/t/${traces[first + index]}`}>{cell}</a> : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The recording of each row, where rows and points are the same things. */
function tracesOf({ table, chart }: Answer): (string | undefined)[] {
  const points = chart.points ?? [];
  if (points.length < table.rows.length) return [];
  return points
    .slice(points.length - table.rows.length)
    .map((point) => point.traceId && encodeURIComponent(point.traceId));
}

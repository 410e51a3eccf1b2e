/** What language models have cost, by day or by whatever else, as a chart and a table, and which budgets were reached. */
import "../style/questions.css";
import { useEffect, useState } from "preact/hooks";
import { download, fileOf } from "../api.ts";
import { AnswerChart } from "../questions/answer_chart.tsx";
import {
  budgetNotices,
  dollars,
  spend,
  spendChart,
  spendPath,
  WAYS,
  type BudgetNotice,
  type PromptOutcome,
  type SpendReport as Report,
  type Way,
} from "./spend.ts";

const DAYS = [7, 30, 90, 365];
const HEADS = ["Calls", "Failed", "Tokens in", "of them cached", "Tokens out", "Cost"];

export function SpendReport({ failed }: { failed: (error: unknown) => void }) {
  const [by, setBy] = useState<Way>("day");
  const [days, setDays] = useState(30);
  const [report, setReport] = useState<Report | null>(null);
  const [notices, setNotices] = useState<BudgetNotice[]>([]);
  useEffect(() => {
    let isGone = false;
    spend(by, days).then((found) => isGone || setReport(found), failed);
    budgetNotices().then((found) => isGone || setNotices(found), failed);
    return () => {
      isGone = true;
    };
  }, [by, days, failed]);
  return (
    <section class="spend" aria-label="Spend">
      <div class="actions">
        <label>
          By{" "}
          <select value={by} onChange={(event) => setBy(event.currentTarget.value as Way)}>
            {WAYS.map((way) => (
              <option key={way} value={way}>
                {way}
              </option>
            ))}
          </select>
        </label>
        <label>
          Over{" "}
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {DAYS.map((number) => (
              <option key={number} value={number}>
                {number} days
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          onClick={() =>
            fileOf(spendPath(by, days, "csv")).then((file) => download(file, `spend-by-${by}.csv`), failed)
          }
        >
          Save as CSV
        </button>
      </div>
      {report && report.spend.length > 0 && (
        <>
          <AnswerChart chart={spendChart(report)} name={`spend by ${report.by}`} />
          <SpendTable report={report} />
          {report.outcomes.length > 0 && <OutcomeTable outcomes={report.outcomes} />}
        </>
      )}
      {report && (
        <p class="note">
          {report.spend.length === 0 && "No model was called. "}
          {report.note}
        </p>
      )}
      {notices.length > 0 && (
        <>
          <h3>Budgets reached</h3>
          <ul class="plan-changes">
            {notices.map((notice) => (
              <li key={notice.noticeId}>
                <time dateTime={notice.at}>{new Date(notice.at).toLocaleString()}</time> {notice.message}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function SpendTable({ report }: { report: Report }) {
  const number = (value: number) => value.toLocaleString("en");
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`Spend by ${report.by}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{report.by}</th>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.spend.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.key || "none"}</th>
              <td>{number(row.calls)}</td>
              <td>{number(row.failedCalls)}</td>
              <td>{number(row.inputTokens)}</td>
              <td>{number(row.cachedInputTokens)}</td>
              <td>{number(row.outputTokens)}</td>
              <td>
                {dollars(row.costUsd)}
                {row.costUsd !== null && row.unpricedCalls > 0 && (
                  <small> and {number(row.unpricedCalls)} calls of unknown cost</small>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OutcomeTable({ outcomes }: { outcomes: PromptOutcome[] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="How the answers came out">
      <table>
        <thead>
          <tr>
            {["Prompt", "Answers", "Completed", "Median", "95 %", "Verified", "Thumbs"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {outcomes.map((one) => (
            <tr key={one.promptVersion}>
              <th scope="row">{one.promptVersion || "none"}</th>
              <td>{one.turns}</td>
              <td>{one.completed}</td>
              <td>{one.medianSeconds.toFixed(1)} s</td>
              <td>{one.p95Seconds.toFixed(1)} s</td>
              <td>{one.verifiedShare === null ? "none checked" : `${(100 * one.verifiedShare).toFixed(0)} %`}</td>
              <td>
                {one.thumbsUp} up, {one.thumbsDown} down
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

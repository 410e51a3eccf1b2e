/** The HTTP API as functions; every refusal becomes an error with the server's own words (RFC 9457). */
import { actingHeader } from "./accounts/acting.ts";
import { access, refuse } from "./accounts/token.ts";

export interface TraceProfile {
  handle: string;
  name: string;
  kind: string;
  unit: string;
  total: number;
  duration: number | null;
  sample_count: number;
  span_count: number;
  /** Whether its rows lie in time; not in summaries of before. */
  order?: "time" | "none";
}

export interface TraceWarning {
  code: string;
  text: string;
  count: number;
}

export interface TraceSummary {
  profiles: TraceProfile[];
  default_profile: string | number;
  warnings: TraceWarning[];
  frame_count: number;
  /** Arrows between calls; not in summaries of before. */
  flow_count?: number;
}

export interface TraceInfo {
  traceId: string;
  name: string;
  format: string;
  unit: string;
  durationNs: number | null;
  sizeBytes: number;
  createdAt: string;
  summary: TraceSummary;
  labels: Record<string, string>;
  program: string | null;
}

export interface SessionInfo {
  sessionId: string;
  traceId: string;
  title: string | null;
  createdAt: string;
  updatedAt: string;
  archived: boolean;
  /** Who reads it: its maker alone, or everybody in the account of its trace. */
  visibility?: "private" | "account";
  accountId?: string;
  mine?: boolean;
  traceName: string;
  /** Of a prompt or answer that has the searched text. */
  passage: string | null;
}

export interface FunctionRow {
  handle: string;
  name: string;
  file: string | null;
  line: number | null;
  selfValue: number;
  totalValue: number;
  selfShare: number;
  totalShare: number;
  count: number;
}

export interface FunctionTable {
  rows: FunctionRow[];
  totalRows: number;
  /** What a share of 1 stands for: the profile without its idle part. */
  profileTotal: number;
}

const ROOT = "/api/v1";

/** What went wrong, in words meant for people. */
export class ApiError extends Error {
  readonly status: number;
  /** The problem document's other members, such as a limit's. */
  readonly problem: Record<string, unknown>;

  constructor(message: string, status: number, problem: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** What a person reads; the name of the field is a member of its own. */
function withoutField(text: string, field?: string): string {
  if (!field || !text.startsWith(`${field}: `)) return text;
  const rest = text.slice(field.length + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The error in the body of an answer: a problem document if it is one. */
export function errorFrom(status: number, body: string): ApiError {
  try {
    const problem = JSON.parse(body) as { title?: string; detail?: string; field?: string };
    const text = problem.detail ?? problem.title;
    if (text) return new ApiError(withoutField(text, problem.field), status, problem);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new ApiError(`The server answered ${status} without saying why.`, status);
}

/** The error, in words, of a request or a body that the network broke off. */
async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ApiError("The server cannot be reached. Is it still running?", 0);
  }
}

/** A request whose token has run out is sent again with the next one; the body of none is a stream. */
async function call(path: string, options: RequestInit = {}, isSecond = false): Promise<Response> {
  const { token } = access.read();
  const response = await reached(fetch(ROOT + path, { ...options, headers: { ...options.headers, ...bearer(token) } }));
  if (response.ok) return response;
  const error = errorFrom(response.status, await reached(response.text()));
  if (error.status === 401 && (await refuse(token, error.message)) && !isSecond) return call(path, options, true);
  throw error;
}

function bearer(token: string | null): Record<string, string> {
  return { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...actingHeader() };
}

/** The answer to a request without a body, as it is. */
export function callFor(path: string): Promise<Response> {
  return call(path);
}

/** Send the server something that it answers with nothing. */
export async function send(path: string, method = "POST", body?: object): Promise<void> {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  await call(path, { method, ...(body ? json : {}) });
}

export async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await reached((await call(path, options)).json())) as T;
}

/** Send a JSON body; the answer's JSON comes back. */
export async function post(path: string, body: object, method = "POST"): Promise<unknown> {
  return json<unknown>(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export async function listTraces(): Promise<TraceInfo[]> {
  return (await json<{ traces: TraceInfo[] }>("/traces")).traces;
}

export interface TracePage {
  traces: TraceInfo[];
  /** The cursor of the following page; null for the last. */
  next: string | null;
}

/** A page of the library: traces with all of the labels (`branch:main`) that have the text. */
export function findTraces(text: string, labels: string[], cursor: string | null, limit: number): Promise<TracePage> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (text) query.set("q", text);
  for (const label of labels) query.append("label", label);
  if (cursor) query.set("cursor", cursor);
  return json<TracePage>(`/traces?${query}`);
}

/** Set labels, and take off those that are null. */
export async function relabel(traceId: string, labels: Record<string, string | null>): Promise<TraceInfo> {
  return ((await post(`/traces/${traceId}`, { labels }, "PATCH")) as { trace: TraceInfo }).trace;
}

export async function getTrace(traceId: string): Promise<TraceInfo> {
  return (await json<{ trace: TraceInfo }>(`/traces/${traceId}`)).trace;
}

export function remove(path: string): Promise<void> {
  return send(path, "DELETE");
}

export function deleteTrace(traceId: string): Promise<void> {
  return remove(`/traces/${traceId}`);
}

/** The thread that a trace opens with. */
export function firstProfile({ summary }: TraceInfo): string {
  return typeof summary.default_profile === "number" ? `p${summary.default_profile}` : summary.default_profile;
}

/** Where a trace's chart is asked for: one's own, or one behind a link. */
export function tracePath(traceId: string): string {
  return `/traces/${encodeURIComponent(traceId)}`;
}

export function sharedPath(token: string): string {
  return `/shared/${encodeURIComponent(token)}`;
}

/** The trace behind a link, and whether the link shows a conversation about it too. */
export function sharedTrace(token: string): Promise<{ trace: TraceInfo; conversation: boolean }> {
  return json(sharedPath(token));
}

export function listSessions(traceId: string): Promise<SessionInfo[]> {
  return findSessions({ traceId, archived: "any" });
}

export interface SessionSearch {
  traceId?: string;
  search?: string;
  /** Those put away, those not (where it is left out), or both. */
  archived?: boolean | "any";
  limit?: number;
}

/** Conversations, the most recently used first. */
export async function findSessions(search: SessionSearch): Promise<SessionInfo[]> {
  const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]));
  return (await json<{ sessions: SessionInfo[] }>(`/sessions?${query}`)).sessions;
}

export async function renameSession(sessionId: string, title: string): Promise<void> {
  await post(`/sessions/${sessionId}`, { title }, "PATCH");
}

/** Put a conversation away, or back. */
export async function archiveSession(sessionId: string, archived: boolean): Promise<void> {
  await post(`/sessions/${sessionId}`, { archived }, "PATCH");
}

/** Show a conversation to the account of its trace, or to oneself alone. */
export async function showSession(sessionId: string, visibility: "private" | "account"): Promise<void> {
  await post(`/sessions/${sessionId}`, { visibility }, "PATCH");
}

export function deleteSession(sessionId: string): Promise<void> {
  return remove(`/sessions/${sessionId}`);
}

export async function topFunctions(
  path: string,
  profile: string,
  limit: number,
  transforms: string | null = null,
): Promise<FunctionTable> {
  type Answer = Omit<FunctionTable, "profileTotal"> & Record<"whole", number>;
  const changed = transforms ? `&transforms=${encodeURIComponent(transforms)}` : "";
  const answer = await json<Answer>(`${path}/functions?sortBy=self&limit=${limit}&profile=${profile}${changed}`);
  return { rows: answer.rows, totalRows: answer.totalRows, profileTotal: answer["whole"] };
}

export async function viewBytes(
  path: string,
  query: Record<string, string | number>,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return reached((await call(`${path}/view?${parameters}`, { signal })).arrayBuffer());
}

export interface Upload {
  done: Promise<TraceInfo>;
  cancel(): void;
}

/** What the server does with an upload that has arrived completely. */
export interface UploadStage {
  uploadId: string;
  stage: "waiting" | "reading" | "storing";
  /** In the line, 1 being the next, while it waits. */
  place: number | null;
  bytesRead: number | null;
  bytes: number;
}

/** Where an upload stands; null when it is not known: not yet complete, done already, or taken by another process. */
export async function uploadStage(uploadId: string): Promise<UploadStage | null> {
  try {
    const { uploads } = await json<{ uploads: UploadStage[] }>("/uploads");
    return uploads.find((upload) => upload.uploadId === uploadId) ?? null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Send a file as it is, under an id by which it can be asked about; `progress` gets the share that has left this machine. */
export function uploadTrace(file: File, uploadId: string, progress: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<TraceInfo>((resolve, reject) => {
    request.upload.onprogress = (event) =>
      event.lengthComputable && event.total > 0 && progress(event.loaded / event.total);
    request.upload.onload = () => progress(1);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300)
        resolve((JSON.parse(request.responseText) as { trace: TraceInfo }).trace);
      else reject(errorFrom(request.status, request.responseText));
    };
    request.onerror = () =>
      reject(new ApiError("The upload broke off: the server cannot be reached or closed the connection.", 0));
    request.onabort = () => reject(new ApiError("The upload was cancelled.", 0));
    request.open("POST", `${ROOT}/traces?name=${encodeURIComponent(file.name)}&upload=${uploadId}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    for (const [name, value] of Object.entries(bearer(access.read().token))) request.setRequestHeader(name, value);
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}

/** The bytes of an address of the API. Raises an ApiError. */
export async function fileOf(path: string): Promise<Blob> {
  return (await callFor(path)).blob();
}

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading it
}

/** A text as the name of a file: letters, digits, dots and dashes, at most 60. */
export function fileName(text: string): string {
  const kept = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return [...kept].slice(0, 60).join("") || "file";
}

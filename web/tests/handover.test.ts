import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fetchedRecording, NotFetched } from "../src/handover/fetched_recording.ts";
import { handedOver, siteOf } from "../src/handover/handed_over.ts";
import { nameIn, recordingAddress } from "../src/handover/recording_address.ts";

const OURS = "https://flamechat.example";

test("addresses with https, and those of this machine, may be fetched; others are refused with the reason", () => {
  for (const fine of ["https://example.com/a.json", "http://localhost:9000/a", "http://127.0.0.1/a"])
    assert.ok(recordingAddress(fine, OURS) instanceof URL, fine);
  const reasons: [string, RegExp][] = [
    ["", /no address/],
    ["/etc/passwd", /no address/],
    ["javascript:alert(1)", /Only addresses with https/],
    ["data:text/plain,main 3", /Only addresses with https/],
    ["file:///etc/passwd", /Only addresses with https/],
    ["http://example.com/a.json", /Only addresses with https/],
    ["http://127.0.0.1.example.com/", /Only addresses with https/],
    ["http://[::1]/", /Only addresses with https/],
    ["https://me:secret@example.com/a", /password/],
    ["https://flamechat.example/api/v1/traces", /this server/],
  ];
  for (const [address, reason] of reasons) assert.match(String(recordingAddress(address, OURS)), reason, address);
});

test("a recording is called what its address ends with", () => {
  const names = [
    ["https://a.example/x/trace.json.gz?token=1#f", "trace.json.gz"],
    ["https://a.example/x/", "x"],
    ["https://a.example/", "recording"],
    ["https://a.example/%D7%90%20b.json", "\u05d0 b.json"],
    ["https://a.example/100%", "100%"],
  ];
  for (const [address, name] of names) assert.equal(nameIn(new URL(address!)), name);
});

async function served(answer: RequestListener, use: (address: URL) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await use(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/deep/a.txt`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const fetched = (address: URL, most?: number, arrived = (_bytes: number, _of: number | null) => {}) =>
  fetchedRecording(address, new AbortController().signal, arrived, most);

test("a recording is fetched with its name, and how much of it has come is known", async () => {
  const seen: [number, number | null][] = [];
  await served(
    (_, answer) => answer.setHeader("Content-Length", 7).end("main 12"),
    async (address) => {
      const file = await fetched(address, 7, (...progress) => seen.push(progress));
      assert.equal(file.name, "a.txt");
      assert.equal(await file.text(), "main 12");
    },
  );
  assert.deepEqual(seen.at(-1), [7, 7]);
});

test("what is not fetched is said: refusals, nothing, too much, and a server that is away", async () => {
  const cases: [RequestListener, RegExp][] = [
    [(_, answer) => void answer.writeHead(404).end("gone"), /answered 404/],
    [(_, answer) => void answer.end(), /answered with nothing/],
    [(_, answer) => void answer.end("x".repeat(101)), /more than 100 B/],
    [(request) => void request.socket.destroy(), /cannot be reached/],
  ];
  for (const [answer, reason] of cases)
    await served(answer, (address) =>
      assert.rejects(
        fetched(address, 100),
        (error: Error) => error instanceof NotFetched && reason.test(error.message),
      ),
    );
});

test("a window hands over text, bytes and files; other messages are not listened to", async () => {
  const message = (recording: unknown, name?: unknown) => ({ type: "flamechat:recording", recording, name });
  const file = handedOver(message("main 12", " a.txt ")) as File;
  assert.deepEqual([file.name, file.size], ["a.txt", 7]);
  assert.equal(await (handedOver(message(new Uint8Array([109, 49]))) as File).text(), "m1");
  assert.equal((handedOver(message(new Uint8Array([1, 2]).buffer)) as File).size, 2);
  assert.equal((handedOver(message(new File(["m"], "own.txt"))) as File).name, "own.txt");
  assert.equal((handedOver(message(new Blob(["m"]), "n".repeat(10_000))) as File).name.length, 255);
  assert.equal((handedOver(message("m", { toString: () => "x" })) as File).name, "recording");
  assert.match(String(handedOver(message(""))), /empty/);
  for (const none of [undefined, null, 3, {}, [1]]) assert.match(String(handedOver(message(none))), /no recording/);
  for (const other of [null, 3, "PING", {}, { type: "webpack" }, []]) assert.equal(handedOver(other), null);
  assert.equal(siteOf("null"), "a page without a site");
});

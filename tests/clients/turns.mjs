// Asks one prompt after the other with a real client and says, a line of JSON each, what the client holds afterwards.
// node turns.mjs CLIENT ADDRESS TOKEN TRACE PROMPTS; a prompt begins with what is done: answer, fail, stop, reload or ask.
import "./browser.mjs";

const [client, address, token, traceId, prompts] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const chatId = `chat-of-${client}`;
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const mountedTools = [{ name: "ask_person", version: 1 }];
const CHOICE = { status: "answered", answer: "b" };
const stop = (turnId) => fetch(`${address}/api/v1/turns/${turnId}/cancel`, { method: "POST", headers });

// Calls are made again whenever something has changed, until one gives an answer.
class Changes {
  waiting = new Set();
  changed() {
    for (const look of this.waiting) look();
  }
  until(find) {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found) {
          this.waiting.delete(look);
          resolve(found);
        }
      };
      this.waiting.add(look);
      look();
    });
  }
}

async function aiSdk(name) {
  const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } = await import(name);
  const body = { traceId, mountedTools };
  const transport = new DefaultChatTransport({ api: `${address}/api/v1/streams/ai-sdk`, headers, body });
  const open = (messages) => {
    const changes = new Changes();
    const state = {
      now: "ready",
      get status() {
        return state.now;
      },
      set status(status) {
        state.now = status;
        changes.changed();
      },
      error: undefined,
      messages,
      pushMessage: (message) => (state.messages.push(message), changes.changed()),
      popMessage: () => state.messages.pop(),
      replaceMessage: (index, message) => ((state.messages[index] = message), changes.changed()),
      snapshot: (thing) => structuredClone(thing),
    };
    const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithToolCalls;
    class Chat extends AbstractChat {}
    return { chat: new Chat({ id: chatId, transport, state, sendAutomaticallyWhen }), state, changes };
  };
  let now = open([]);
  const last = () => now.state.messages.at(-1);
  // of a text that was sent once more the last version counts
  const text = (message) => {
    const texts = message.parts.filter((part) => part.type === "text");
    return Object.values(Object.fromEntries(texts.map((part) => [part.providerMetadata.flamechat.messageId, part.text])));
  };
  return async (prompt, kind) => {
    const before = now.state.messages.length;
    const ended = now.chat.sendMessage({ text: prompt });
    if (kind === "stop" || kind === "reload") {
      await now.changes.until(() => now.state.messages.length === before + 2 && text(last()).join("") !== "");
    }
    if (kind === "stop") await stop(last().id);
    if (kind === "reload") {
      now.chat.stop();
      await ended;
      now = open(now.state.messages.slice(0, -1));
      const resumed = now.chat.resumeStream();
      await now.changes.until(() => last().role === "assistant" && text(last()).join("") !== "");
      say({ dropped: prompt });
      await resumed;
    }
    await ended;
    if (kind === "ask") {
      const call = last().parts.find((part) => part.toolName === "ask_person");
      const answer = now.chat.addToolOutput ?? now.chat.addToolResult;
      await answer.call(now.chat, { tool: "ask_person", toolCallId: call.toolCallId, output: CHOICE });
      await now.changes.until(() => text(last()).length === 2 && now.state.status === "ready");
    }
    const parts = last().parts;
    const of = (type) => parts.filter((part) => part.type === type);
    return {
      turnId: last().id,
      texts: text(last()),
      tools: of("dynamic-tool").map((part) => [part.toolName, part.state]),
      files: of("file").map((part) => part.url),
      sources: of("source-url").map((part) => part.url),
      data: parts.filter((part) => part.type.startsWith("data-")).map((part) => part.type.slice(5)),
      error: now.state.error?.message ?? null,
    };
  };
}

async function assistantUi(path) {
  const { createElement } = await import("react");
  const { createRoot } = await import("react-dom/client");
  const { AssistantRuntimeProvider } = await import("@assistant-ui/core/react");
  const { useDataStreamRuntime } = await import("@assistant-ui/react-data-stream");
  const changes = new Changes();
  let runtime;
  let error = null;
  let called = [];
  const onData = (part) => called.push(part.name);
  const api = `${address}/api/v1/streams/${path}`;
  const body = { traceId, id: chatId, mountedTools };
  function App() {
    runtime = useDataStreamRuntime({ api, headers, body, onData, onError: (one) => (error = one.message) });
    return createElement(AssistantRuntimeProvider, { runtime });
  }
  createRoot(document.getElementById("root")).render(createElement(App));
  while (!runtime?.thread.getState().capabilities.cancel) await new Promise(setImmediate);
  runtime.thread.subscribe(() => changes.changed());
  const messages = () => runtime.thread.getState().messages;
  const of = (type) => messages().at(-1).content.filter((part) => part.type === type);
  const done = () => messages().at(-1).role === "assistant" && messages().at(-1).status.type !== "running";
  return async (prompt, kind) => {
    [error, called] = [null, []];
    runtime.thread.append(prompt);
    const asked = () => messages().at(-2)?.content[0]?.text === prompt;
    if (kind === "stop" || kind === "reload") await changes.until(() => asked() && of("text").length);
    const turnId = () => messages().at(-1).metadata.steps[0]?.messageId;
    if (kind === "stop") await stop(await changes.until(turnId));
    if (kind === "reload") {
      runtime.thread.cancelRun();
      await changes.until(done);
      runtime.thread.startRun({ parentId: messages().at(-2).id });
      await changes.until(() => !done() && of("text").length);
      say({ dropped: prompt });
    }
    await changes.until(() => asked() && done());
    if (kind === "ask") {
      const call = of("tool-call").find((part) => part.toolName === "ask_person");
      const message = runtime.thread.getMessageById(messages().at(-1).id);
      message.getMessagePartByToolCallId(call.toolCallId).addToolResult(CHOICE);
      await changes.until(() => done() && of("text").length === 2);
    }
    return {
      turnId: turnId() ?? null,
      texts: standing(messages().at(-1).content),
      tools: of("tool-call").map((part) => [part.toolName, part.isError ? "output-error" : "output-available"]),
      files: of("file").map((part) => part.data),
      sources: of("source").flatMap((part) => part.url ?? []),
      data: [...called, ...of("data").map((part) => part.name)],
      error: error ?? messages().at(-1).status.error?.message ?? null,
    };
  };
}

/** Its texts: one before a data part `replaced`, or one of a message of which another follows, does not count. */
function standing(content) {
  const texts = [];
  let before = null;
  for (const part of content) {
    if (part.type === "text") {
      const of = part.providerMetadata?.flamechat.messageId;
      if (of && of === before) texts.pop();
      before = of;
      texts.push(part.text);
    } else if (part.type === "data" && part.name === "replaced") texts.pop();
  }
  return texts;
}

const TOOLS = [{ name: "ask_person", description: "Ask the person.", parameters: { type: "object" } }];

async function agUi() {
  const { HttpAgent } = await import("@ag-ui/client");
  const open = (messages) =>
    new HttpAgent({ url: `${address}/api/v1/streams/ag-ui`, headers, threadId: chatId, initialMessages: messages });
  let agent = open([]);
  let number = 0;
  return async (prompt, kind) => {
    agent.addMessage({ id: `message-${++number}`, role: "user", content: prompt });
    const before = structuredClone(agent.messages);
    const seen = { turnId: null, data: [], files: [], sources: [], error: null };
    let dropped = false;
    const replaced = new Set();
    const subscriber = {
      onCustomEvent: ({ event }) => {
        if (event.name === "turn") seen.turnId = event.value.turnId;
        else if (event.name === "file") seen.files.push(event.value.url);
        else if (event.name === "sources") seen.sources.push(...event.value.flatMap((one) => one.url ?? []));
        else if (event.name === "replaced") replaced.add(event.value.messageId);
        else seen.data.push(event.name);
      },
      onRunErrorEvent: ({ event }) => {
        seen.error = `${event.code}: ${event.message}`;
      },
      onTextMessageContentEvent: () => {
        if (kind === "stop") stop(seen.turnId);
        if (kind === "reload" && !dropped) {
          dropped = true;
          agent.abortRun();
        }
      },
    };
    const run = () => agent.runAgent({ forwardedProps: { traceId }, tools: TOOLS }, subscriber).catch((error) => (seen.error ??= `${error}`));
    await run();
    if (kind === "ask") {
      const call = agent.messages.at(-1).toolCalls.at(-1);
      agent.addMessage({ id: `${call.id}/answer`, role: "tool", toolCallId: call.id, content: JSON.stringify(CHOICE) });
      await run();
    }
    if (dropped) {
      agent = open(before);
      Object.assign(seen, { data: [], files: [], sources: [], error: null });
      say({ dropped: prompt });
      await run();
    }
    const added = agent.messages.slice(before.length);
    return {
      ...seen,
      texts: added.filter((one) => one.role === "assistant" && one.content && !replaced.has(one.id)).map((one) => one.content),
      tools: added.flatMap((one) => one.toolCalls ?? []).map((call) => [call.function.name, "output-available"]),
    };
  };
}

const CLIENTS = {
  "ai-5": () => aiSdk("ai-5"),
  "ai-6": () => aiSdk("ai-6"),
  "ai-7": () => aiSdk("ai"),
  "assistant-ui": () => assistantUi("data-stream"),
  "assistant-ui-of-ai-sdk": () => assistantUi("ai-sdk"),
  "ag-ui": agUi,
};
const ask = await CLIENTS[client]();
for (const prompt of JSON.parse(prompts)) {
  const [kind] = prompt.split(" ");
  say({ prompt, ...(await ask(prompt, kind)) });
}
process.exit(0);

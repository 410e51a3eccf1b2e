// What a program of somebody else's sees of a project: @supabase/supabase-js in Node. One JSON line per thing seen.
//
// Run in a folder whose node_modules hold the package: node listener.mjs '{"url", "key", "token", "topic", "download"}'.
// It listens to the private topic until a turn has ended, downloads `[bucket, path]` if asked, and leaves.
import { createRequire } from "node:module";

const { createClient } = createRequire(`${process.cwd()}/package.json`)("@supabase/supabase-js");
const { url, key, token, topic, download } = JSON.parse(process.argv[2]);
const ENDS = new Set(["model_response_end", "turn_cancelled", "turn_failed"]);
const say = (line) => console.log(JSON.stringify(line));

const client = createClient(url, key, { accessToken: async () => token });

if (download) {
  const { data, error } = await client.storage.from(download[0]).download(download[1]);
  say(error ? { download: null } : { download: await data.text() });
}
if (topic) {
  await client.realtime.setAuth();
  const channel = client.channel(topic, { config: { private: true } });
  const ended = new Promise((resolve) => {
    for (const event of ["ai_response", "chat_error"]) {
      channel.on("broadcast", { event }, ({ payload }) => {
        say({ event, payload });
        if (payload.events?.some((one) => ENDS.has(one.type))) resolve();
      });
    }
    channel.subscribe((status, error) => {
      say({ status, error: error?.message });
      if (status === "CHANNEL_ERROR") resolve();
    });
  });
  await ended;
  await client.removeAllChannels();
}
process.exit(0);

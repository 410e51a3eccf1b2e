import assert from "node:assert/strict";
import { test } from "node:test";
import { projectKey } from "../../supabase/functions/trace-analysis-socket/project_key.ts";

const of = (given: Record<string, string>) => projectKey((name) => given[name]);

test("the edge function takes the project's default publishable key, and a legacy one where there is no other", () => {
  const keys = JSON.stringify({ web: "sb_publishable_web", default: "sb_publishable_a" });
  assert.equal(of({ SUPABASE_PUBLISHABLE_KEYS: keys, SUPABASE_ANON_KEY: "eyJ" }), "sb_publishable_a");
  assert.equal(of({ SUPABASE_PUBLISHABLE_KEYS: '{"web": "sb_publishable_web"}' }), "sb_publishable_web");
  assert.equal(of({ SUPABASE_PUBLISHABLE_KEY: "sb_publishable_b", SUPABASE_ANON_KEY: "eyJ" }), "sb_publishable_b");
  for (const broken of ["", "{", "null", "[]", '{"default": 1}'])
    assert.equal(of({ SUPABASE_PUBLISHABLE_KEYS: broken, SUPABASE_ANON_KEY: "eyJ" }), "eyJ");
  assert.throws(() => of({}), /SUPABASE_PUBLISHABLE_KEYS is not set/);
});

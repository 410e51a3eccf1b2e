/** The key with which the function asks the project: publishable, of the kind that the project has. */
export function projectKey(read: (name: string) => string | undefined): string {
  const named = read("SUPABASE_PUBLISHABLE_KEYS");
  const key = (named && defaultOf(named)) || read("SUPABASE_PUBLISHABLE_KEY") || read("SUPABASE_ANON_KEY");
  if (!key) throw new Error("SUPABASE_PUBLISHABLE_KEYS is not set, nor SUPABASE_PUBLISHABLE_KEY or SUPABASE_ANON_KEY");
  return key;
}

/** Of the keys by name that Supabase gives its functions, as JSON: the default one, else the first. */
function defaultOf(named: string): string | undefined {
  let keys: unknown;
  try {
    keys = JSON.parse(named);
  } catch {
    return undefined;
  }
  if (typeof keys !== "object" || keys === null) return undefined;
  const found = (keys as Record<string, unknown>)["default"] ?? Object.values(keys)[0];
  return typeof found === "string" ? found : undefined;
}

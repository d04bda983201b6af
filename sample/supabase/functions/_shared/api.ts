/** The project's own API with the service key, which passes row-level security. */
const base = Deno.env.get('SUPABASE_URL') ?? ''
const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY') ?? ''

/** @param path - below the project's address */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('apikey', key)
  headers.set('authorization', `Bearer ${key}`)
  return await fetch(`${base}${path}`, { ...init, headers })
}

/** Reads rows over REST. @param schema - of the table, if not `public` */
export async function rows<Row>(query: string, schema = 'public'): Promise<Row[]> {
  const answer = await call(`/rest/v1/${query}`, { headers: { 'accept-profile': schema } })
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`)
  return (await answer.json()) as Row[]
}

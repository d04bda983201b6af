import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type LoadRequest, measureRate } from './http-load.ts'
import type { Figure } from './report.ts'
import { startPlain } from './start-plain.ts'
import { sizedSeconds } from './size.ts'

const CONNECTIONS = [1, 16, 64]
const SECONDS = sizedSeconds(3)
const PASSWORD = 'correct horse battery'

/** bcrypt costs to measure: the server's default, and the lowest that bcrypt allows, which shows what everything but the hash costs. */
const HASH_COSTS = [10, 4]

interface Person {
  readonly email: string
  readonly userId: string
  readonly sessionId: string
  readonly accessToken: string
  /** The latest refresh token of the session that the client knows. */
  refreshToken: string
}

interface Server {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Requests per second for token refreshes, `GET /user` and password sign-ins, beside a plain handler that runs the same two statements. */
export async function benchAccounts(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const cost of HASH_COSTS) {
    await using holdfast = await openHoldfast({ args: [`--password-hash-cost=${cost}`] })
    await using plain = await startPlain(new URL('plain-accounts.ts', import.meta.url), holdfast.databaseUrl)
    const ours: Server = {
      url: holdfast.url,
      headers: { apikey: holdfast.anonKey, 'content-type': 'application/json' },
    }
    const theirs: Server = { url: plain.url, headers: { 'content-type': 'application/json' } }
    const people = await signUpMany(holdfast, Math.max(...CONNECTIONS))
    for (const connections of CONNECTIONS) {
      // Refreshes and `GET /user` hash nothing, so they are measured at one cost only.
      if (cost === HASH_COSTS[0]) {
        figures.push(
          await compare('GET /user', connections, {
            ours: { ...ours, next: (index) => askUser(ours, people, index) },
            theirs: { ...theirs, next: (index) => askPlainUser(theirs, people, index) },
          }),
          await compare('refresh', connections, {
            ours: { ...ours, next: refreshing(ours, '/auth/v1/token?grant_type=refresh_token', people) },
            theirs: { ...theirs, next: refreshing(theirs, '/refresh', people) },
          }),
        )
      }
      figures.push(
        await compare(`sign-in by password, bcrypt cost ${cost}`, connections, {
          ours: { ...ours, next: (index) => signIn(ours, '/auth/v1/token?grant_type=password', people, index) },
          theirs: { ...theirs, next: (index) => signIn(theirs, '/sign-in', people, index) },
        }),
      )
    }
  }
  return figures
}

type Load = Server & { readonly next: (connection: number, lastAnswer: string | undefined) => LoadRequest }

async function compare(
  name: string,
  connections: number,
  { ours, theirs }: { readonly ours: Load; readonly theirs: Load },
): Promise<Figure> {
  const plain = await measureRate({ ...theirs, connections, seconds: SECONDS })
  const value = await measureRate({ ...ours, connections, seconds: SECONDS })
  return {
    name: `${name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
    value,
    unit: '/s',
    reference: { name: 'a plain handler with two statements', value: plain },
  }
}

function askUser(server: Server, people: readonly Person[], index: number): LoadRequest {
  const authorization = `Bearer ${people[index]?.accessToken}`
  return { method: 'GET', path: '/auth/v1/user', headers: { ...server.headers, authorization } }
}

function askPlainUser(server: Server, people: readonly Person[], index: number): LoadRequest {
  const person = people[index]
  return { method: 'GET', path: `/user?user=${person?.userId}&session=${person?.sessionId}`, headers: server.headers }
}

/** Each connection is one device that refreshes as soon as it can. */
function refreshing(server: Server, path: string, people: readonly Person[]): Load['next'] {
  return (index, lastAnswer) => {
    const person = people[index]
    if (person && lastAnswer !== undefined) {
      person.refreshToken = (JSON.parse(lastAnswer) as { refresh_token: string }).refresh_token
    }
    const body = JSON.stringify({ refresh_token: person?.refreshToken })
    return { method: 'POST', path, headers: server.headers, body }
  }
}

function signIn(server: Server, path: string, people: readonly Person[], index: number): LoadRequest {
  const body = JSON.stringify({ email: people[index]?.email, password: PASSWORD })
  return { method: 'POST', path, headers: server.headers, body }
}

async function signUpMany(holdfast: Holdfast, count: number): Promise<Person[]> {
  const people: Person[] = []
  for (let number = 0; number < count; number++) {
    const client = await holdfast.supabase()
    const email = `person-${number}@example.org`
    const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
    if (error || !data.session) throw error ?? new Error('signing up gives a session')
    const { access_token: accessToken, refresh_token: refreshToken, user } = data.session
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as {
      session_id: string
    }
    people.push({ email, userId: user.id, sessionId: claims.session_id, accessToken, refreshToken })
  }
  return people
}

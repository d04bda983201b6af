import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/bcrypt'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type LoadConnection, openLoadConnection } from './http-load.ts'
import { median, percentile, type Figure } from './report.ts'
import { sized } from './size.ts'

/** Number of accounts that are asked about, each as often as an address without an account. */
const PEOPLE = sized(100)
const ROUNDS = sized(3)
const PASSWORD = 'correct horse battery'

/** Requests whose duration could reveal who has an account; their answers do not. */
const QUESTIONS: readonly (readonly [name: string, path: string, body: (email: string) => object])[] = [
  [
    'sign-in with a wrong password',
    '/auth/v1/token?grant_type=password',
    (email) => ({ email, password: 'wrong password' }),
  ],
  ['sign-up', '/auth/v1/signup', (email) => ({ email, password: PASSWORD })],
  ['recovery', '/auth/v1/recover', (email) => ({ email })],
  ['code by mail', '/auth/v1/otp', (email) => ({ email, create_user: true })],
  ['sending again', '/auth/v1/resend', (email) => ({ email, type: 'signup' })],
]

/** Measures how long answers take for addresses with and without an account, asked alternately on one connection. */
export async function benchEnumeration(): Promise<Figure[]> {
  await using holdfast = await openHoldfast({ args: ['--email-enable-confirmations', '--email-max-frequency=0'] })
  const people = await insertPeople(holdfast)
  const connection = await openLoadConnection(holdfast.url)
  const figures: Figure[] = []
  try {
    for (const [name, path, body] of QUESTIONS) {
      const known: number[] = []
      const unknown: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        for (const email of people) {
          const ask = (address: string): Promise<number> => timeOf(holdfast, connection, path, body(address))
          // Asked alternately, so that other load on the machine affects both; the order changes, so that neither is always second.
          if (round % 2 === 0) known.push(await ask(email))
          unknown.push(await ask(`${randomUUID()}@example.org`))
          if (round % 2 === 1) known.push(await ask(email))
        }
      }
      figures.push(
        ...[0.25, 0.5, 0.75].map((share) => ({
          name: `${name}, for an address with an account, p${share * 100}`,
          value: percentile(known, share),
          unit: 'ms',
          reference: { name: 'for an unknown address', value: percentile(unknown, share) },
        })),
        {
          name: `${name}, how often the address with an account took longer`,
          value: known.filter((time, index) => time > (unknown[index] ?? Number.NaN)).length / known.length,
          unit: 'of 1',
        },
        { name: `${name}, median difference`, value: median(known) - median(unknown), unit: 'ms' },
      )
    }
  } finally {
    connection.close()
  }
  return figures
}

async function timeOf(holdfast: Holdfast, connection: LoadConnection, path: string, body: object): Promise<number> {
  const headers = { apikey: holdfast.anonKey, 'content-type': 'application/json' }
  const began = performance.now()
  await connection.ask({ method: 'POST', path, headers, body: JSON.stringify(body) }).catch((error: Error) => {
    if (!error.message.startsWith('HTTP/1.1 400')) throw error // a wrong password
  })
  return performance.now() - began
}

/** Inserts confirmed accounts with a password. */
async function insertPeople(holdfast: Holdfast): Promise<string[]> {
  const emails = Array.from({ length: PEOPLE }, () => `${randomUUID()}@example.org`)
  const passwordHash = await hash(PASSWORD, { cost: 10, version: '2a' })
  await holdfast.admin.withClient((client) =>
    client.query(
      `with people as (
         insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
         select gen_random_uuid(), 'authenticated', 'authenticated', email, $2, now(), now(), now() from unnest($1::text[]) as email
         returning id, email
       )
       insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
       select id::text, id, jsonb_build_object('sub', id, 'email', email), 'email', now(), now() from people`,
      [emails, passwordHash],
    ),
  )
  return emails
}

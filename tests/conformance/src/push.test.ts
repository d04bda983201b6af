import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify, type ECDH } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// Notifications as received by a push service and a browser: RFC 8030, 8188, 8291 and 8292.

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

let service: Server
let origin: string
let holdfast: Holdfast
const received: Received[] = []
/** The push service's status per path. Default: 201. */
const answers = new Map<string, number>()

beforeAll(async () => {
  service = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(answers.get(path) ?? 201).end()
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  holdfast = await openHoldfast({ sample: true, args: [`--push-allow=127.0.0.1:${port}`] })
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
})

/** A browser's part of a subscription. */
interface Device {
  readonly endpoint: string
  readonly keys: ECDH
  readonly secret: Buffer
}

const clientOf = (name: string): ReturnType<Holdfast['supabase']> =>
  holdfast.supabase({ email: `${name}@northline.example` })

/** Signs a user in and subscribes the device to notifications. */
async function subscribe(name: string, endpoint: string): Promise<Device & { signOut(): Promise<unknown> }> {
  const client = await clientOf(name)
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const secret = randomBytes(16)
  const { error } = await client.schema('holdfast').rpc('add_push_device', {
    device_endpoint: endpoint,
    device_key: keys.getPublicKey('base64url'),
    device_secret: secret.toString('base64url'),
  })
  expect(error).toBeNull()
  return { endpoint, keys, secret, signOut: () => client.auth.signOut({ scope: 'local' }) }
}

const isWaiting = async (): Promise<boolean> =>
  (await holdfast.internal.query(sql`select from holdfast.push_events`)).length > 0
const knownAddresses = async (): Promise<readonly string[]> =>
  (
    await holdfast.internal.query<{ endpoint: string }>(
      sql`select endpoint from holdfast.push_devices order by endpoint`,
    )
  ).map(({ endpoint }) => endpoint)
const sentTo = (path: string): readonly Received[] => received.filter((one) => one.path === path)

async function userIdOf(name: string): Promise<string> {
  const [row] = await holdfast.admin.query<{ id: string }>(
    sql`select id from auth.users where email = ${`${name}@northline.example`}`,
  )
  return row?.id ?? ''
}

/** Returns an action that Dana and Mina see. */
async function anAction(): Promise<{ readonly id: string; readonly title: string }> {
  const [row] = await holdfast.admin.query<{ id: string; title: string }>(sql`
    select a.id, a.title from public.actions a join holdfast.team_members m on m.team_id = a.team_id
     where m.user_id = ${await userIdOf('mina.kaya')} order by a.id limit 1`)
  if (!row) throw new Error('the sample has no action')
  return row
}

/** Adds a comment by Dana that mentions these users. */
async function mention(
  names: readonly string[],
  body: string,
): Promise<{ readonly id: string; readonly title: string }> {
  const action = await anAction()
  const dana = await clientOf('dana.okafor')
  const { error } = await dana
    .schema('holdfast')
    .from('comments')
    .insert({ table_name: 'actions', record_id: action.id, body, mentions: await Promise.all(names.map(userIdOf)) })
  expect(error).toBeNull()
  return action
}

/** Decrypts like a browser. @see RFC 8291, section 3.4 */
function decrypt({ keys, secret }: Device, body: Buffer): unknown {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + (body[20] ?? 0))
  const coded = body.subarray(21 + sender.length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const material = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), secret, info, 32))
  const key = Buffer.from(hkdfSync('sha256', material, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', material, salt, 'Content-Encoding: nonce\0', 12))
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(coded.subarray(-16))
  const padded = Buffer.concat([decipher.update(coded.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  return JSON.parse(padded.subarray(0, end).toString())
}

/** Verifies like a push service. @see RFC 8292 */
function verifiedClaims(authorization: string): { readonly key: string; readonly claims: Record<string, unknown> } {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const isGenuine = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  expect(isGenuine).toBe(true)
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown> }
}

test("a mentioned user gets a message encrypted for their device and signed with the app's key", async () => {
  const mina = await subscribe('mina.kaya', `${origin}/mina`)
  const action = await mention(['mina.kaya'], 'Please look, @Mina Kaya')
  await expect.poll(() => sentTo('/mina').length).toBe(1)
  const [message] = sentTo('/mina')
  if (!message) throw new Error('nothing was sent')
  expect(decrypt(mina, message.body)).toEqual({
    kind: 'mention',
    who: 'Dana Okafor',
    title: action.title,
    text: 'Please look, @Mina Kaya',
    path: `/w/holdfast/t/actions/r/${action.id}?tab=comments`,
  })
  expect(message.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' })
  const config = (await (await fetch(`${holdfast.url}/app/v1/config`)).json()) as { readonly pushKey: string }
  const { key, claims } = verifiedClaims(message.headers.authorization ?? '')
  expect(key).toBe(config.pushKey)
  expect(claims).toMatchObject({ aud: origin, sub: expect.stringMatching(/^mailto:/) as string })
  await expect.poll(isWaiting).toBe(false)
})

test('no message goes to users who may not see the record, or to the author', async () => {
  await subscribe('sam.reyes', `${origin}/sam`)
  await subscribe('dana.okafor', `${origin}/dana`)
  const before = sentTo('/mina').length
  await mention(['sam.reyes', 'dana.okafor', 'mina.kaya'], 'For those who may read it')
  await expect.poll(() => sentTo('/mina').length).toBe(before + 1)
  await expect.poll(isWaiting).toBe(false)
  expect([...sentTo('/sam'), ...sentTo('/dana')]).toEqual([])
})

test('an assigned user gets a message that names the work', async () => {
  const person = await subscribe('mina.kaya', `${origin}/assigned`)
  const [inspection] = await holdfast.admin.query<{ id: string }>(sql`
    update public.inspections i set assignee_id = p.id
      from public.people p
     where p.user_id = ${await userIdOf('mina.kaya')}
       and i.id = (select o.id from public.inspections o join holdfast.team_members m on m.team_id = o.team_id
                    where m.user_id = p.user_id and o.assignee_id is distinct from p.id order by o.id limit 1)
    returning i.id`)
  await expect.poll(() => sentTo('/assigned').length).toBe(1)
  const message = decrypt(person, sentTo('/assigned')[0]?.body ?? Buffer.alloc(0))
  expect(message).toMatchObject({
    kind: 'assigned',
    path: `/w/holdfast/t/inspections/r/${inspection?.id}?tab=history`,
  })
})

test('more than three messages at once become one that opens the inbox', async () => {
  const person = await subscribe('priya.nair', `${origin}/many`)
  const { id } = await anAction()
  await holdfast.admin.execute(sql`
    insert into holdfast.comments (table_name, record_id, body, author_id, mentions)
    select 'actions', ${id}, n::text, ${await userIdOf('dana.okafor')}, jsonb_build_array(${await userIdOf('priya.nair')}::text)
      from generate_series(1, 4) n`)
  await expect.poll(() => sentTo('/many').length).toBe(1)
  expect(decrypt(person, sentTo('/many')[0]?.body ?? Buffer.alloc(0))).toEqual({
    kind: 'several',
    count: 4,
    path: '/w/holdfast/inbox',
  })
})

test('an undelivered message is sent again', async () => {
  answers.set('/again', 503)
  await subscribe('priya.nair', `${origin}/again`)
  await holdfast.internal.execute(sql`delete from holdfast.push_devices where endpoint = ${`${origin}/many`}`)
  await mention(['priya.nair'], 'once more')
  await expect.poll(() => sentTo('/again').length).toBe(1)
  answers.delete('/again')
  // Skips the retry delay.
  await expect
    .poll(async () => {
      await holdfast.internal.execute(sql`update holdfast.push_events set due_at = now()`)
      await holdfast.internal.execute(sql`notify holdfast_push`)
      return sentTo('/again').length
    })
    .toBeGreaterThan(1)
  await expect.poll(isWaiting).toBe(false)
})

test('a device is removed when its endpoint is gone, its session has ended, or its endpoint is not a push service', async () => {
  const [gone, left, inside] = [`${origin}/gone`, `${origin}/left`, 'http://127.0.0.1:1/inside']
  await subscribe('freya.lund', gone)
  const device = await subscribe('freya.lund', left)
  await subscribe('freya.lund', inside)
  await subscribe('freya.lund', 'https://169.254.169.254/latest')
  await subscribe('freya.lund', `${origin}/stays`)
  answers.set('/gone', 410)
  await device.signOut()
  await mention(['freya.lund'], 'Is it there?')
  await expect.poll(() => sentTo('/stays').length).toBe(1)
  await expect
    .poll(async () => (await knownAddresses()).filter((address) => /gone|left|inside|169\.254|stays/.test(address)))
    .toEqual([`${origin}/stays`])
  expect(sentTo('/left')).toEqual([])
})

test('keys are never logged', async () => {
  const [key] = await holdfast.internal.query<{ secret: string }>(sql`select secret from holdfast.push_devices limit 1`)
  expect(holdfast.log()).not.toContain(key?.secret)
  expect(holdfast.log()).not.toContain('/stays')
})

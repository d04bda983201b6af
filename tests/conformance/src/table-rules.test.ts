import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/* Rules that an owner sets for a table: two connected devices gain and lose exactly the records that the rules say, and the owner sees the table as a member. */

const OLGA = { email: 'olga@example.org', password: 'a password of hers' }
const EDDA = { email: 'edda@example.org', password: 'a password of hers' }

let holdfast: Holdfast
let olga: TestDevice
let edda: TestDevice
let workspace = ''
let member = ''

async function post(
  path: string,
  body: object,
  token?: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${holdfast.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

/** Calls a function as the owner. @throws with the server's answer */
async function call(name: string, args: object): Promise<unknown> {
  const { data, error } = await (await holdfast.supabase(OLGA)).schema('holdfast').rpc(name, { workspace, ...args })
  if (error) throw new Error(`${name}: ${JSON.stringify(error)}`)
  return data
}

const titles = async (device: TestDevice): Promise<readonly string[]> =>
  (await device.database.getAll<{ title: string }>('select title from jobs order by title')).map(({ title }) => title)

const ALL = [{ role: 'viewer', scope: 'all' }]
const ASSIGNED = [{ role: 'editor', scope: 'assigned', field: 'assignee_id' }]
const NOT_DONE = [{ ...ASSIGNED[0], when: [{ field: 'state', is: 'none_of', values: ['done'] }] }]

beforeAll(async () => {
  holdfast = await openHoldfast()
  const key = new URLSearchParams(new URL(holdfast.welcomeUrl ?? '').hash.slice(1)).get('owner') ?? ''
  await post('/app/v1/owner', { key, name: 'Olga', workspace: 'Works', ...OLGA })
  const service = { apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` }
  const created = await fetch(`${holdfast.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...service },
    body: JSON.stringify({ ...EDDA, email_confirm: true }),
  })
  const { id: user } = (await created.json()) as { id: string }
  const owner = await holdfast.supabase(OLGA)
  const { data } = await owner.schema('holdfast').from('workspaces').select('id').single()
  workspace = (data as { id: string } | null)?.id ?? ''
  const added = await fetch(`${holdfast.url}/rest/v1/members`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-profile': 'holdfast',
      prefer: 'return=representation',
      ...service,
    },
    body: JSON.stringify({ workspace_id: workspace, user_id: user, role: 'editor', name: 'Edda' }),
  })
  member = ((await added.json()) as readonly { id: string }[])[0]?.id ?? ''
  await call('create_table', {
    definition: {
      name: 'jobs',
      label: 'Jobs',
      fields: [
        { name: 'title', label: 'Title', kind: 'text' },
        { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'done'] },
        { name: 'assignee_id', label: 'Assigned to', kind: 'link', table: 'hf_members' },
      ],
      access: { kind: 'members' },
    },
  })
  const { error } = await owner.from('jobs').insert([
    { title: 'a', state: 'open', assignee_id: member },
    { title: 'b', state: 'done', assignee_id: member },
    { title: 'c', state: 'open', assignee_id: null },
  ])
  if (error) throw error
  const { data: signedIn } = await owner.auth.getSession()
  const headers = { authorization: `Bearer ${signedIn.session?.access_token}` }
  const synced = async (): Promise<string> => await (await fetch(`${holdfast.url}/sync/v1/schema`, { headers })).text()
  await vi.waitUntil(async () => (await synced()).includes('"jobs"'), { timeout: 20_000, interval: 100 })
  ;[olga, edda] = await Promise.all([openDevice(holdfast, OLGA), openDevice(holdfast, EDDA)])
})
afterAll(async () => {
  await Promise.all([olga?.[Symbol.asyncDispose](), edda?.[Symbol.asyncDispose]()])
  await holdfast?.[Symbol.asyncDispose]()
})

test('connected devices follow a change of the rules, and the preview has said what they would lose', async () => {
  expect([await titles(olga), await titles(edda)]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ])
  const rules = { see: ASSIGNED, add: [], change: ASSIGNED, delete: [] }
  const preview = await post('/app/v1/access-preview', { workspace, table: 'jobs', rules }, await olga.token())
  expect(preview).toMatchObject({
    status: 200,
    body: { records: 3, members: [{ name: 'Edda', sees: 2, gains: 0, loses: 1, changes: 2, changesBefore: 3 }] },
  })
  await call('set_access', { table_name: 'jobs', rules })
  await expect.poll(() => titles(edda), { timeout: 20_000 }).toEqual(['a', 'b'])
  await call('set_access', { table_name: 'jobs', rules: { ...rules, see: NOT_DONE, change: NOT_DONE } })
  await expect.poll(() => titles(edda), { timeout: 20_000 }).toEqual(['a'])
  await call('set_access', { table_name: 'jobs', rules: { ...rules, see: ALL } })
  await expect.poll(() => titles(edda), { timeout: 20_000 }).toEqual(['a', 'b', 'c'])
  expect(await titles(olga)).toEqual(['a', 'b', 'c'])
  await Promise.all([olga.settle(), edda.settle()])
  for (const device of [olga, edda]) expect(await device.localRows('jobs')).toEqual(await device.visibleRows('jobs'))
})

test('the owner sees the table as the member, and the member sees it as nobody', async () => {
  const asked = { workspace, member, table: 'jobs' }
  const seen = await post('/app/v1/see-as', asked, await olga.token())
  expect(seen).toMatchObject({
    status: 200,
    body: { member: { name: 'Edda', role: 'editor' }, tables: [{ table: 'jobs', sees: 3, changes: 2 }] },
  })
  const { records } = seen.body as { records: readonly { changes: boolean; changesBy: readonly string[] }[] }
  expect(records.map(({ changesBy }) => changesBy).toSorted()).toEqual([[], ['change_1'], ['change_1']])
  expect(await post('/app/v1/see-as', asked, await edda.token())).toMatchObject({
    status: 403,
    body: { code: 'not_admin' },
  })
  const refused = await post('/app/v1/access-preview', { ...asked, rules: { see: 1 } }, await olga.token())
  expect(refused).toMatchObject({ status: 400, body: { code: 'access.rules' } })
  expect((await post('/app/v1/see-as', asked)).status).toBe(401)
  expect((await post('/app/v1/see-as', { ...asked, member: "'" }, await olga.token())).status).toBe(400)
  const many = Array.from({ length: 6 }, async () => (await post('/app/v1/see-as', asked, await olga.token())).status)
  expect(new Set(await Promise.all(many))).toEqual(new Set([200, 429]))
})

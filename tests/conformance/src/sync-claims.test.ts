import { expect, test, vi } from 'vitest'
import { differences, openDevice, openHoldfast } from '@holdfast/test-support'

/* Policies read a token's claims, and the next token of a session may carry other claims. */

test('rows follow the claims of a new token at once, before the old token expires', async () => {
  await using holdfast = await openHoldfast()
  const account = { email: 'claims@northline.example', password: 'nobody knows me' }
  const { data, error } = await (await holdfast.supabase()).auth.signUp(account)
  if (error) throw error
  const userId = data.user?.id ?? ''
  const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))
  await run(`
    create table public.papers (id int primary key, org text);
    alter table public.papers enable row level security;
    create policy of_org on public.papers for select to authenticated using (org = auth.jwt() -> 'app_metadata' ->> 'org');
    insert into public.papers values (1, 'one'), (2, 'two')`)
  await using device = await openDevice(holdfast, account)
  const belongTo = async (org: string): Promise<void> => {
    await run(
      `update auth.users set raw_app_meta_data = raw_app_meta_data || '{"org": "${org}"}' where id = '${userId}'`,
    )
    await device.client.supabase.auth.refreshSession()
  }
  const expectPapers = (ids: readonly string[]): Promise<void> =>
    vi.waitFor(
      async () => {
        expect([...(await device.localRows('papers')).keys()]).toEqual(ids)
        expect(await differences(device, ['papers'])).toEqual([])
      },
      { timeout: 60_000, interval: 100 },
    )
  await vi.waitFor(() => device.table('papers'), { timeout: 60_000 })
  await expectPapers([])
  await belongTo('one')
  await expectPapers(['1'])
  await belongTo('two')
  await expectPapers(['2'])
  await belongTo('none')
  await expectPapers([])
})

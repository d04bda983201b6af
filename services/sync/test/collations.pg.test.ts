import { expect, test } from 'vitest'
import { ALICE, BOB, openWorld } from './sync-world.ts'

/* What is equal, and which text comes first, is decided by the collation of a column, which is not always that of its type. */

test('rows are compared under the collations of their columns', async () => {
  await using world = await openWorld({
    schema: `
      create function auth.email() returns text language sql stable as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email' $$;
      create collation public.ignoring_case (provider = icu, deterministic = false, locale = 'und-u-ks-level2');
      create table public.mine (id int primary key, email text collate public.ignoring_case);
      create table public.others (id int primary key, email text collate public.ignoring_case);
      create table public.red (id int primary key, team text collate public.ignoring_case);
      create table public.later (id int primary key, word text collate "C");
      create table public.early (id int primary key, word text collate "C");
      create table public.members (id int primary key, org int, email text collate public.ignoring_case);
      create table public.papers (id int primary key, org int);
      do $$ declare t text; begin
        foreach t in array '{mine,others,red,later,early,members,papers}'::text[] loop execute format('alter table public.%I enable row level security', t); end loop;
      end $$;
      create policy p on public.mine for select using (email = auth.email());
      create policy p on public.others for select using (email <> auth.email());
      create policy p on public.red for select using (team = 'red');
      create policy p on public.later for select using (word > auth.email());
      create policy p on public.early for select using (word < 'a');
      create policy p on public.members for select using (email = auth.email());
      create policy p on public.papers for select using (org in (select m.org from public.members m where m.email = auth.email()));
      insert into public.mine values (1, 'ALICE@x.org'), (2, 'alice@X.ORG'), (3, 'bob@x.org');
      insert into public.others select * from public.mine;
      insert into public.red values (1, 'RED'), (2, 'blue');
      insert into public.later values (1, 'Zed'), (2, 'bee');
      insert into public.early values (1, 'Zed'), (2, 'bee');
      insert into public.members values (1, 1, 'Alice@X.org'), (2, 2, 'BOB@x.org');
      insert into public.papers values (1, 1), (2, 2);
    `,
  })
  const token = (sub: string, email: string): string =>
    Buffer.from(JSON.stringify({ sub, role: 'authenticated', email })).toString('base64url')
  const people = [
    { email: 'alice@x.org', device: world.device(ALICE, { token: token(ALICE, 'alice@x.org') }) },
    { email: 'bob@x.org', device: world.device(BOB, { token: token(BOB, 'bob@x.org') }) },
  ]
  for (const { device } of people) device.connect()
  const tables = ['mine', 'others', 'red', 'later', 'early', 'members', 'papers']
  const expectEqual = async (): Promise<void> => {
    for (const { email, device } of people) {
      const shown = await Promise.all(
        tables.map((table) =>
          world.rows<{ id: string }>(`select '${table}/' || id as id from public.${table} ${WHERE[table]?.(email)}`),
        ),
      )
      const expected = shown
        .flat()
        .map(({ id }) => id)
        .toSorted()
      const held = (): string[] => [...device.state.keys()].toSorted()
      await device
        .until(() => JSON.stringify(held()) === JSON.stringify(expected), 'the rows of Postgres', 10_000)
        .catch(() => expect(held()).toEqual(expected))
      expect(device.faults).toEqual([])
    }
  }
  await expectEqual()
  await world.run(`update public.members set email = 'ALICE@X.ORG'; update public.red set team = 'Red' where id = 2`)
  await expectEqual()
  await world.run(
    `update public.mine set email = 'BOB@X.ORG'; update public.others set email = 'BOB@X.ORG'; update public.members set email = 'bOB@x.org' where id = 1`,
  )
  await expectEqual()
})

/** What the policies say, in the words of a superuser. */
const WHERE: Readonly<Record<string, (email: string) => string>> = {
  mine: (email) => `where email = '${email}'`,
  others: (email) => `where email <> '${email}'`,
  red: () => `where team = 'red'`,
  later: (email) => `where word > '${email}'`,
  early: () => `where word < 'a'`,
  members: (email) => `where email = '${email}'`,
  papers: (email) => `where org in (select m.org from public.members m where m.email = '${email}')`,
}

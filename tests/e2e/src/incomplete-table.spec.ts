import { sql } from '@holdfast/postgres'
import type { Page } from '@playwright/test'
import { ACCOUNTS } from './support/person.ts'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'

/** A start asks the server at once; otherwise it is asked after checkpoints, at most every 30 s. */
async function startUntil(page: Page, isSo: (timeout: { readonly timeout: number }) => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.reload()
    await isSo({ timeout: 8_000 })
  }).toPass({ timeout: 120_000 })
}

test('a table of which rows are missing on the device is said, with the reason, until it is whole', async ({
  arrive,
  holdfast,
}) => {
  const run = (text: string): Promise<unknown> => holdfast.admin.execute(sql.trusted(text))
  const sam = await arrive('sam')
  const { page, chip } = sam
  try {
    await run(`
      create table public.remarks (id uuid primary key default gen_random_uuid(), title text);
      insert into public.remarks (title) values ('Seen by most');
      alter table public.remarks enable row level security;
      create function public.may_read_remarks() returns boolean language plpgsql stable as $$
      begin
        if auth.email() = '${ACCOUNTS.sam.email}' then raise exception 'no answer for %', auth.email(); end if;
        return true;
      end $$;
      create policy readable on public.remarks for select to authenticated using (public.may_read_remarks());
      grant select on public.remarks to authenticated;`)

    await test.step('the chip does not say that all is well, and the sync centre names the missing table', async () => {
      await startUntil(page, (soon) => expect(chip).toHaveAccessibleName('Sync: 1 table is not complete', soon))
      await chip.click()
      await page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
      const card = page.getByRole('article', { name: 'Not complete on this device: Remarks' })
      await expect(card).toBeVisible()
      await expect(card).toContainText('The server cannot decide which of them you may see')
      await expect(card).toContainText('Tell an administrator')
      await expect(card).toContainText('HF-SYNC-POLICY')
      await expectAccessible(page, 'a table that is not complete')
    })

    await test.step('once the policy answers, nothing is said any more', async () => {
      await run(`create or replace function public.may_read_remarks() returns boolean language plpgsql stable as $$
        begin return true; end $$`)
      await startUntil(page, (soon) => expect(page.getByText('Nothing needs your attention')).toBeVisible(soon))
      await expect(chip).toHaveAccessibleName('Sync: Up to date')
    })
  } finally {
    await run('drop table if exists public.remarks; drop function if exists public.may_read_remarks()')
  }
})

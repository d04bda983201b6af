import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { expect, test, type Locator, type Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { gridOf } from './support/grid.ts'
import { nextMail } from './support/mailbox.ts'
import { signIn } from './support/person.ts'
import { openStranger } from './support/stranger.ts'

const SYNCED = { timeout: 120_000 }
/** A project's own table: its rows are those of a team, and only editors change them; admins see and change all, guests what is shared with them. */
const JOBS = `
  create table public.jobs (
    id uuid primary key default gen_random_uuid(), title text not null, team_id uuid references holdfast.teams (id));
  alter table public.jobs enable row level security;
  grant select, update on public.jobs to authenticated;
  create policy team_reads on public.jobs for select to authenticated using (team_id in (select holdfast.my_team_ids()));
  create policy admins_read on public.jobs for select to authenticated using ((select holdfast.has_role('admin')));
  create policy admins_change on public.jobs for update to authenticated using ((select holdfast.has_role('admin')));
  create policy guests_read on public.jobs for select to authenticated using (id in (select holdfast.shared_record_ids('jobs')));
  create policy guests_change on public.jobs for update to authenticated using (id in (select holdfast.changeable_record_ids('jobs')));
  create policy editors_change on public.jobs for update to authenticated
    using (team_id in (select holdfast.my_team_ids()) and (select holdfast.has_role('editor')))`

test(
  'people are invited, join on another device, get other roles, and lose access',
  { tag: '@core' },
  async ({ browser }) => {
    // Two devices that start five times.
    test.setTimeout(480_000)
    await using server = await openHoldfast({ args: ['--no-enable-signup'] })
    await server.admin.execute(sql.trusted(JOBS))
    await using noor = await openStranger(browser, server)
    await using nora = await openStranger(browser, server)
    await noor.withAccount()
    await server.admin.query(sql`select holdfast.create_workspace('Northline Water', ${noor.email})`)
    const [owner, visitor] = [noor.page, nora.page]
    let link = ''

    await test.step('an owner makes a team, and invites to it', async () => {
      await owner.goto('/sign-in')
      await signIn(owner, noor.email, noor.password)
      await peopleLink(owner).click(SYNCED)
      await expect(memberOf(owner, 'Noor Haddad')).toContainText('Owner')
      await owner.getByRole('button', { name: 'New team' }).click()
      await owner.getByRole('textbox', { name: 'Name' }).fill('North')
      await owner.getByRole('button', { name: 'Create' }).click()
      await expect(owner.getByRole('list', { name: 'Teams' })).toContainText('North')
      await expect
        .poll(() => server.admin.query(sql`select workspace_id is not null as ours from holdfast.teams`))
        .toEqual([{ ours: true }])
      await server.admin.execute(
        sql`insert into public.jobs (title, team_id) select 'Fit a new lock', id from holdfast.teams`,
      )

      await owner.getByRole('button', { name: 'Invite people' }).click()
      await owner.getByRole('textbox', { name: 'E-mail addresses' }).fill(`${nora.email}, nobody`)
      await choose(owner, 'Role', 'Viewer')
      await choose(owner, 'Team', 'North')
      await owner.getByRole('textbox', { name: 'Message' }).fill('Bring your boots.')
      await expectAccessible(owner, 'inviting')
      await owner.getByRole('button', { name: 'Send invitations' }).click()
      await expect(owner.getByRole('list', { name: 'Result for each address' })).toContainText('nobodyNot an e-mail')
      await owner.getByRole('button', { name: 'Done' }).click()
      await expect(owner.getByRole('list', { name: 'Invitations' })).toContainText('Not sent')
      await expectAccessible(owner, 'people')
      link = await mailedTo(server, nora.email)
    })

    await test.step('who has no account joins by the link, and has the rows of the team', async () => {
      await visitor.goto(link)
      await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('Join Northline Water')
      await expect(visitor.getByText('Bring your boots.')).toBeVisible()
      await visitor.getByRole('button', { name: 'Create account and join' }).click()
      await expect(visitor.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(/Enter your name/)
      await expectAccessible(visitor, 'invitation')
      await visitor.getByRole('textbox', { name: 'Name' }).fill('Nora Lind')
      await failNextLook(nora)
      await expect(visitor.getByRole('textbox', { name: 'Name' })).toHaveValue('Nora Lind')
      await visitor.getByRole('textbox', { name: 'Password' }).fill('a good one 8')
      await visitor.getByRole('button', { name: 'Create account and join' }).click()
      await visitor.getByRole('link', { name: /^Jobs/ }).click(SYNCED)
      await expect(visitor.getByRole('gridcell', { name: 'Title: Fit a new lock' })).toBeVisible()
      await peopleLink(visitor).click()
      await expect(memberOf(visitor, 'Nora Lind')).toContainText('Viewer')
      await expect(visitor.getByText('ask Noor Haddad')).toBeVisible()
      await expect(visitor.getByRole('button', { name: 'Invite people' })).toHaveCount(0)
      await expect(visitor.getByRole('button', { name: 'Actions for Noor Haddad' })).toHaveCount(0)
    })

    await test.step('another role is seen on the other device; without a connection nothing is promised', async () => {
      await act(owner, 'Nora Lind', 'Change role')
      await choose(owner, 'Role', 'Editor')
      await owner.getByRole('button', { name: 'Save' }).click()
      await expect(memberOf(visitor, 'Nora Lind')).toContainText('Editor')
      noor.problems.expectCutLine()
      await owner.context().setOffline(true)
      await expect(owner.getByText('Inviting people and changing roles need a connection')).toBeVisible()
      await expect(owner.getByRole('button', { name: /^Invite people/ })).toHaveAttribute('aria-disabled', 'true')
      await act(owner, 'Nora Lind')
      await expect(owner.getByRole('menuitem', { name: 'Change role' })).toHaveAttribute('aria-disabled', 'true')
      await owner.keyboard.press('Escape')
      await owner.context().setOffline(false)
    })

    await test.step('who becomes a viewer while a record is open can only read it from then on', async () => {
      const [{ id = '' } = {}] = await server.admin.query<{ id?: string }>(sql`select id from public.jobs`)
      await visitor.goto(`/w/holdfast/t/jobs/r/${id}`)
      const title = visitor.getByRole('textbox', { name: 'Title' })
      await expect(title).toHaveValue('Fit a new lock')
      await act(owner, 'Nora Lind', 'Change role')
      await choose(owner, 'Role', 'Viewer')
      await owner.getByRole('button', { name: 'Save' }).click()
      await expect(visitor.getByText('You can read this job, but not change it.')).toBeVisible()
      await expect(title).toHaveCount(0)
      await expect(visitor.getByRole('heading', { level: 1, name: 'Fit a new lock' })).toBeVisible()
      await peopleLink(visitor).click()
    })

    await test.step('the last owner cannot leave', async () => {
      await act(owner, 'Noor Haddad')
      await expect(owner.getByRole('menuitem', { name: /^Leave the workspace/ })).toHaveAttribute(
        'aria-disabled',
        'true',
      )
      await owner.keyboard.press('Escape')
    })

    await test.step('a guest sees and changes the record that is shared with them until their last day is over, and is told so', async () => {
      const job = visitor.getByRole('gridcell', { name: 'Title: Fit a new lock' })
      await visitor.getByRole('link', { name: /^Jobs/ }).click()
      await expect(job).toBeVisible()
      await act(owner, 'Nora Lind', 'Change role')
      await choose(owner, 'Role', 'Guest')
      await owner.getByLabel('Access until').fill('2099-12-31')
      await owner.getByRole('button', { name: 'Save' }).click()
      await expect(memberOf(owner, 'Nora Lind')).toContainText('Access until')
      await expect(job).toHaveCount(0)

      const [{ id = '' } = {}] = await server.admin.query<{ id?: string }>(sql`select id from public.jobs`)
      await owner.goto(`/w/holdfast/t/jobs/r/${id}`)
      await expect(owner.getByText('On this device and on the server')).toBeVisible()
      await owner.getByRole('button', { name: 'More', exact: true }).click()
      await owner.getByRole('menuitem', { name: 'Share with a guest' }).click()
      const dialog = owner.getByRole('dialog', { name: 'Share “Fit a new lock”' })
      await dialog.getByText('Nora Lind', { exact: true }).dblclick()
      await dialog.getByText('May change it').click()
      await expect(dialog.getByRole('checkbox', { name: 'Nora Lind may change it' })).toBeChecked()
      await expectAccessible(owner, 'sharing')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await expect(owner.getByRole('button', { name: 'Sync: Up to date' }), 'shared once').toBeVisible()
      await expect(job).toBeVisible()
      await expect
        .poll(() => server.admin.query(sql`select table_name, may_change from holdfast.shares`))
        .toEqual([{ table_name: 'jobs', may_change: true }])
      await gridOf(visitor).type('Fit a new lock', 'Title', 'Fit a new lock and two keys')
      await expect
        .poll(() => server.admin.query(sql`select title from public.jobs`))
        .toEqual([{ title: 'Fit a new lock and two keys' }])

      await peopleLink(visitor).click()
      await expect(visitor.getByText('As a guest you only see yourself here')).toBeVisible()
      await server.admin.execute(
        sql`update holdfast.members set expires_at = now() - interval '1 minute' where role = 'guest'`,
      )
      await expect(visitor.getByText('Your access ended on')).toBeVisible()
      await expectAccessible(visitor, 'access that is over')
      await peopleLink(owner).click()
      await expect(memberOf(owner, 'Nora Lind')).toContainText('Access ended on')
      await expect(memberOf(owner, 'Nora Lind')).toContainText('1 record shared')
    })

    await test.step('who is removed has no rows any more, and may be invited again', async () => {
      await act(owner, 'Nora Lind', 'Remove from the workspace')
      await owner.getByRole('button', { name: 'Remove', exact: true }).click()
      await expect(memberOf(owner, 'Nora Lind')).toHaveCount(0)
      await expect(visitor.getByText('You are not in a workspace yet')).toBeVisible()
      await expect(visitor.getByText('Your access ended on')).toHaveCount(0)
      await visitor.getByRole('link', { name: /^Jobs/ }).click()
      await expect(visitor.getByRole('gridcell', { name: 'Title: Fit a new lock' })).toHaveCount(0)
      await visitor.goto(link)
      await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('This invitation was used already')

      await owner.getByRole('button', { name: 'Invite people' }).click()
      await owner.getByRole('textbox', { name: 'E-mail addresses' }).fill(nora.email)
      await owner.getByRole('button', { name: 'Send invitations' }).click()
      await expect(owner.getByRole('list', { name: 'Invitations' })).toContainText('Not sent')
      link = await mailedTo(server, nora.email)
      await owner.goto(link)
      await expect(owner.getByText(`You are signed in as ${noor.email}`)).toBeVisible()
      await nora.forget()
      const validUntil = (interval: string): Promise<unknown> =>
        server.admin.execute(
          sql`update holdfast.invitations set expires_at = now() + ${interval}::interval where state = 'pending'`,
        )
      await validUntil('-1 minute')
      await visitor.goto(link)
      await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('This invitation has expired')
      await expectAccessible(visitor, 'an invitation that has expired')
      await validUntil('1 day')
      await visitor.goto(link)
      await visitor.getByRole('link', { name: 'Sign in to join' }).click()
      await signIn(visitor, nora.email, 'a good one 8')
      await visitor.getByRole('button', { name: 'Join', exact: true }).click()
      await peopleLink(visitor).click(SYNCED)
      await expect(memberOf(visitor, 'Nora Lind')).toContainText('Editor')
      await visitor.setViewportSize({ width: 390, height: 844 })
      await expectAccessible(visitor, 'people on a phone')
    })

    await test.step('whoever has an invite link joins without a mail', async () => {
      await owner.goto('/')
      await peopleLink(owner).click(SYNCED)
      await owner.getByRole('button', { name: 'Invite with a link' }).click()
      await choose(owner, 'Number of users', '10')
      await owner.getByRole('button', { name: 'Create link' }).click()
      const made = owner.getByRole('dialog', { name: 'Invite link' })
      await expect(made.getByRole('img', { name: 'QR code of the link' })).toBeVisible()
      const address = await made.getByRole('textbox', { name: 'Link' }).inputValue()
      await expectAccessible(owner, 'an invite link')
      await made.getByRole('button', { name: 'Done' }).click()
      await expect(owner.getByRole('list', { name: 'Invite links' })).toContainText('0 of 10 used')
      await using sam = await openStranger(browser, server)
      await sam.page.setViewportSize({ width: 390, height: 844 })
      await sam.page.goto(new URL(address).pathname)
      await sam.page.getByRole('textbox', { name: 'E-mail address' }).fill(sam.email)
      await sam.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Sam Reyes')
      await sam.page.getByRole('textbox', { name: 'Password' }).fill('a good one 9')
      await expectAccessible(sam.page, 'joining with a link')
      await sam.page.getByRole('button', { name: 'Create account and join' }).click()
      await expect(memberOf(owner, 'Sam Reyes')).toContainText('Editor', SYNCED)
      await expect(owner.getByRole('list', { name: 'Invite links' })).toContainText('1 of 10 used')
      await owner.getByRole('button', { name: 'Revoke the link for the role Editor' }).click()
      await expect(owner.getByText('No links.')).toBeVisible()
      expect(sam.problems.found).toEqual([])
    })
    expect([...noor.problems.found, ...nora.problems.found], 'console errors and unhandled rejections').toEqual([])
  },
)

/** Lets reading the invitation fail once because of the network, while the browser goes offline and online again. */
async function failNextLook({ page, problems }: Awaited<ReturnType<typeof openStranger>>): Promise<void> {
  problems.expectCutLine()
  const address = '**/rest/v1/rpc/peek_invitation'
  await page.route(address, (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/peek_invitation'))
  await page.context().setOffline(true)
  await expect(page.getByRole('status').filter({ hasText: 'offline' })).toBeVisible()
  await page.context().setOffline(false)
  await failed
  await expect(page.getByRole('status').filter({ hasText: 'offline' })).toHaveCount(0)
  await page.unroute(address)
}

/** The one of the navigation; the first steps on Home lead there, too. */
function peopleLink(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'People' })
}

function memberOf(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: name })
}

/** Opens the menu of a member, and does what is named. */
async function act(page: Page, name: string, item?: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
}

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option }).click()
}

/** @returns the page that the newest mail leads to, on the origin of the strangers' devices */
async function mailedTo(server: Holdfast, email: string): Promise<string> {
  const { body } = await nextMail(server, email)
  return new URL(/https?:\/\/\S+\/invite\/\S+/.exec(body)?.[0] ?? '').pathname
}

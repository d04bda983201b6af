import { useRecords } from '@holdfast/react'
import { Link2 } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Chip } from '../../components/chip.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { linkMessages as words, peopleMessages } from '../../messages/people.ts'
import { LinkDialog } from './link-dialog.tsx'
import { OnlineButton } from './online-button.tsx'
import type { Role } from './roles.ts'
import type { People } from './use-people.ts'

interface LinkRow {
  readonly id: string
  readonly role: Role
  readonly uses: number
  readonly uses_max: number
  readonly expires_at: string
  readonly team: string | null
}

/** Links that still work. */
const SQL = `
  select l.id, l.role, l.uses, l.uses_max, l.expires_at, t.name as team
    from hf_invite_links l left join hf_teams t on t.id = l.team_id
   where l.workspace_id = ? and l.revoked_at is null and l.uses < l.uses_max and julianday(l.expires_at) > julianday(?)
   order by l.created_at desc`

/** Links with which anybody can join, for admins. */
export function LinksSection({ people, role }: { readonly people: People; readonly role: Role }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isCreating, setCreating] = useState(false)
  const [opened] = useState(() => new Date().toISOString())
  const { rows, isLoading } = useRecords<LinkRow>(SQL, [people.workspace.id, opened])
  return (
    <Section
      title={words.title}
      headingRef={heading}
      description={words.lead}
      action={
        <OnlineButton icon={<Link2 size={16} aria-hidden />} onPress={() => setCreating(true)}>
          {words.open}
        </OnlineButton>
      }
    >
      {rows.length > 0 ? (
        <Rows label={words.title}>
          {rows.map((link) => (
            <ActiveLink key={link.id} link={link} onGone={() => heading.current?.focus()} />
          ))}
        </Rows>
      ) : isLoading ? null : (
        <NoRows>{words.none}</NoRows>
      )}
      {isCreating ? <LinkDialog people={people} role={role} onClose={() => setCreating(false)} /> : null}
    </Section>
  )
}

function ActiveLink({ link, onGone }: { readonly link: LinkRow; readonly onGone: () => void }): JSX.Element {
  const { id, role, uses, uses_max: most, team } = link
  const revoke = useCall()
  const until = momentOf(link.expires_at)
  const { label } = peopleMessages.roles[role]
  const end = async (): Promise<void> => {
    if (!(await revoke.run('revoke_invite_link', { link: id }))) return
    showToast({ text: words.revoked })
    onGone()
  }
  return (
    <Row
      icon={<Link2 size={18} aria-hidden />}
      isIconSpared
      title={words.used(uses, most)}
      mark={<Chip colour="slate">{label}</Chip>}
      actions={
        <OnlineButton
          size="sm"
          aria-label={words.revokeNamed(label)}
          isPending={revoke.isPending}
          onPress={() => void end()}
        >
          {words.revoke}
        </OnlineButton>
      }
      below={<CallFailureText failure={revoke.failure} />}
    >
      {[until ? words.expires(until) : '', team ?? ''].filter((part) => part !== '').join(' · ')}
    </Row>
  )
}

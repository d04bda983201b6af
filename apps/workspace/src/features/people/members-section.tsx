import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { NoRows, Rows, Section } from '../../components/section.tsx'
import { peopleMessages as words } from '../../messages/people.ts'
import { MemberRow } from './member-row.tsx'
import { isAdministering } from './roles.ts'
import { useMemberDetails } from './use-member-details.ts'
import type { People } from './use-people.ts'

/** Number of members from which the list is searchable. */
const SEARCHED_FROM = 12
/** Members shown at first, because each one has a menu. */
const SHOWN = 100
/** Limit of admins named as contacts. */
const NAMED_MAX = 3

export function MembersSection({ people }: { readonly people: People }): JSX.Element {
  const { members, me, isAdmin, workspace } = people
  const { details, hasFailed } = useMemberDetails(workspace.id, members.length, isAdmin)
  const [searched, setSearched] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const heading = useRef<HTMLHeadingElement>(null)
  const wanted = searched.trim().toLocaleLowerCase()
  const found = members.filter(
    ({ name, userId }) =>
      name.toLocaleLowerCase().includes(wanted) || (details.get(userId)?.email ?? '').includes(wanted),
  )
  return (
    <Section title={words.members} headingRef={heading} description={whatIsUp(people)}>
      {members.length < SEARCHED_FROM ? null : (
        <SearchField label={words.search} value={searched} onChange={setSearched} />
      )}
      {hasFailed ? <p className="text-small text-muted">{words.notRead}</p> : null}
      {found.length === 0 ? (
        <NoRows>{words.noMatch(searched)}</NoRows>
      ) : (
        <Rows label={words.members}>
          {found.slice(0, shown).map((member) => (
            <MemberRow
              key={member.id}
              people={people}
              member={member}
              details={details.get(member.userId)}
              onGone={() => heading.current?.focus()}
            />
          ))}
        </Rows>
      )}
      {found.length > shown ? (
        <div>
          <Button size="sm" onPress={() => setShown(shown + SHOWN)}>
            {words.more(found.length - shown)}
          </Button>
        </div>
      ) : null}
      {me?.role === 'guest' ? null : <p className="text-small text-muted">{words.rolesNote}</p>}
    </Section>
  )
}

/** Returns a hint about this list, such as whom to ask. */
function whatIsUp({ members, me, isAdmin }: People): string | undefined {
  if (me?.role === 'guest') return words.guestSees
  if (isAdmin) return members.length === 1 ? words.onlyYou : undefined
  const admins = members.filter(({ role, isActive }) => isActive && isAdministering(role)).map(({ name }) => name)
  return words.askAdmins(admins.slice(0, NAMED_MAX))
}

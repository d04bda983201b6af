import { usePresence } from '@holdfast/react'
import type { JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { usePerson } from '../../lib/data/use-person.ts'
import { type Here, parseHere } from '../../lib/presence/shown.ts'
import { useIsHere } from '../../lib/presence/use-is-here.ts'
import { presenceMessages as words } from '../../messages/presence.ts'
import { Avatar } from '../avatar.tsx'
import { Popover, PopoverTrigger } from '../popover.tsx'

/** Displayed avatars; further ones are a number. */
const SHOWN_MAX = 5
const SHOWN_ON_PHONE_MAX = 2

/** Shows other users at the same place, and publishes this user's presence. Renders nothing while empty or unknown. */
export function PeopleHere({ topic }: { readonly topic: string | undefined }): JSX.Element | null {
  const { name } = usePerson()
  const isPhone = useMediaQuery('(max-width: 599.98px)')
  const { people, total } = usePresence<Here>(useIsHere() ? topic : undefined, { name }, { parse: parseHere })
  const others = people.filter(({ isMe }) => !isMe)
  if (others.length === 0) return null
  const isMeCounted = others.length < people.length
  const count = total - (isMeCounted ? 1 : 0)
  const max = isPhone ? SHOWN_ON_PHONE_MAX : SHOWN_MAX
  const shown = others.slice(0, max)
  const names = others.map(({ state }) => state.name)
  return (
    <PopoverTrigger>
      <AriaButton
        aria-label={words.alsoHere(names)}
        className="flex h-8 shrink-0 items-center rounded-full px-1 data-hovered:bg-hover coarse:h-11"
      >
        {shown.map(({ key, state }, place) => (
          <span
            key={key}
            className={place === 0 ? 'flex rounded-full' : '-ml-1.5 flex rounded-full ring-2 ring-surface'}
          >
            <Avatar name={state.name} />
          </span>
        ))}
        {count > shown.length ? (
          <span aria-hidden className="pl-1 text-small text-muted tabular-nums">
            +{count - shown.length}
          </span>
        ) : null}
      </AriaButton>
      <Popover label={words.alsoHereTitle} placement="bottom end" className="w-60 p-3">
        <p className="pb-2 text-small text-muted">{words.alsoHereTitle}</p>
        <ul className="flex flex-col gap-2">
          {others.map(({ key, state }) => (
            <li key={key} className="flex items-center gap-2 text-body">
              <Avatar name={state.name} size="sm" />
              <span className="truncate">{state.name}</span>
            </li>
          ))}
        </ul>
        {count > others.length ? (
          <p className="pt-2 text-small text-muted">{words.more(count - others.length)}</p>
        ) : null}
      </Popover>
    </PopoverTrigger>
  )
}

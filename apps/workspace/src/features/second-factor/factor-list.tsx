import type { Factor } from '@supabase/supabase-js'
import { Check, KeyRound, LifeBuoy, MessageSquare, Smartphone } from 'lucide-react'
import type { JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'

const ICONS: Readonly<Record<string, JSX.Element>> = {
  totp: <Smartphone size={18} aria-hidden />,
  phone: <MessageSquare size={18} aria-hidden />,
  webauthn: <KeyRound size={18} aria-hidden />,
  recovery_code: <LifeBuoy size={18} aria-hidden />,
}

/** The factors to choose from. */
export function FactorList({
  factors,
  current,
  onChoose,
}: {
  readonly factors: readonly Factor[]
  readonly current: string
  readonly onChoose: (id: string) => void
}): JSX.Element {
  return (
    <ul aria-label={words.another} className="-m-2 flex flex-col">
      {factors.map(({ id, factor_type: type, friendly_name: name }) => (
        <li key={id}>
          <AriaButton
            autoFocus={id === current}
            onPress={() => onChoose(id)}
            className="focus-inset flex min-h-12 w-full items-center gap-3 rounded-md px-3 py-2 text-left transition-colors data-hovered:bg-hover data-pressed:bg-pressed"
          >
            <span className="text-muted">{ICONS[type]}</span>
            <span className="min-w-0 flex-1 truncate font-medium">{words.factorName(type, name)}</span>
            {id === current ? <Check size={16} aria-hidden className="text-accent" /> : null}
          </AriaButton>
        </li>
      ))}
    </ul>
  )
}

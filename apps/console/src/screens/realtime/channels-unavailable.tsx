import { RadioTower } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState } from '@holdfast/workspace'
import { ConsoleError } from '../../lib/api.ts'

const TITLES: Readonly<Record<string, string>> = {
  realtime_off: 'Channels are off',
}

/** Whether this server serves no channels. */
export function isUnavailable(error: unknown): error is ConsoleError {
  return error instanceof ConsoleError && error.code in TITLES
}

/** Says why this server serves no channels, and what to do. */
export function ChannelsUnavailable({ error: { code, message } }: { readonly error: ConsoleError }): JSX.Element {
  return (
    <EmptyState icon={<RadioTower size={32} aria-hidden />} title={TITLES[code] ?? ''}>
      {message}
    </EmptyState>
  )
}

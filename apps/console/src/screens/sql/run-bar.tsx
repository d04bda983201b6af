import { Network, Play, Square } from 'lucide-react'
import type { JSX } from 'react'
import type { SqlExplain } from '@holdfast/protocol'
import { Button, Checkbox, Menu, MenuItem, MenuTrigger, Select } from '@holdfast/workspace'
import { UserField } from '../../components/user-field.tsx'

/** Whom a text runs as, and how. */
export interface RunSettings {
  readonly kind: string
  /** Address or id, for `user`. */
  readonly user: string
  readonly isReadOnly: boolean
  readonly timeoutSeconds: number
}

export const FIRST_SETTINGS: RunSettings = { kind: 'postgres', user: '', isReadOnly: true, timeoutSeconds: 30 }

const IDENTITIES = [
  { value: 'postgres', label: 'The project (postgres)' },
  { value: 'user', label: 'A user' },
  { value: 'anon', label: 'A visitor (anon)' },
]

const TIMEOUTS = [
  { value: '30', label: '30 s' },
  { value: '120', label: '2 min' },
  { value: '600', label: '10 min' },
]

/** The settings of a run, and the buttons that start and cancel it. */
export function RunBar({
  settings,
  isRunning,
  onChange,
  onRun,
  onExplain,
  onCancel,
}: {
  readonly settings: RunSettings
  readonly isRunning: boolean
  readonly onChange: (settings: RunSettings) => void
  readonly onRun: () => void
  readonly onExplain: (mode: SqlExplain) => void
  readonly onCancel: () => void
}): JSX.Element {
  const { kind, user, isReadOnly, timeoutSeconds } = settings
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Select
        label="Run as"
        options={IDENTITIES}
        value={kind}
        onChange={(value) => onChange({ ...settings, kind: value })}
        className="w-52"
      />
      {kind === 'user' ? (
        <UserField value={user} onChange={(value) => onChange({ ...settings, user: value })} className="w-80" />
      ) : null}
      <Select
        label="Time limit"
        options={TIMEOUTS}
        value={String(timeoutSeconds)}
        onChange={(value) => onChange({ ...settings, timeoutSeconds: Number(value) })}
        className="w-28"
      />
      <Checkbox
        isSelected={isReadOnly}
        onChange={(value) => onChange({ ...settings, isReadOnly: value })}
        className="h-9"
      >
        Read only
      </Checkbox>
      {isRunning ? (
        <Button tone="danger" icon={<Square size={14} aria-hidden />} onPress={onCancel}>
          Cancel
        </Button>
      ) : (
        <>
          <Button tone="primary" icon={<Play size={14} aria-hidden />} onPress={onRun}>
            Run
          </Button>
          <MenuTrigger>
            <Button icon={<Network size={14} aria-hidden />}>Explain</Button>
            <Menu label="Explain">
              <MenuItem onAction={() => onExplain('analyze')}>Run and measure, then roll back</MenuItem>
              <MenuItem onAction={() => onExplain('plan')}>Estimate without running</MenuItem>
            </Menu>
          </MenuTrigger>
        </>
      )}
      <span className="pb-2 text-small text-muted">Ctrl+Enter runs the selected text, or all of it.</span>
    </div>
  )
}

import { Check, X } from 'lucide-react'
import type { JSX } from 'react'
import type { AccessExplanation, AccessVerdict, PolicyResult } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'
import { Expression } from './policies-tab.tsx'

const TITLES = { select: 'See it', insert: 'Insert it', update: 'Update it', delete: 'Delete it' } as const

/** What a user may do with a row, by command. */
export function Verdicts({ explanation: { verdicts } }: { readonly explanation: AccessExplanation }): JSX.Element {
  return (
    <ul aria-label="What they may do" className="flex flex-col gap-3">
      {verdicts.map((verdict) => (
        <Verdict key={verdict.command} verdict={verdict} />
      ))}
    </ul>
  )
}

function Verdict({
  verdict: { command, isAllowed, reason, policy, results },
}: {
  readonly verdict: AccessVerdict
}): JSX.Element {
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-border px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{TITLES[command]}</span>
        <Chip
          colour={isAllowed ? 'green' : 'coral'}
          icon={isAllowed ? <Check size={12} aria-hidden /> : <X size={12} aria-hidden />}
        >
          {isAllowed ? 'allowed' : 'refused'}
        </Chip>
      </div>
      <p className="[overflow-wrap:anywhere]">{reason}</p>
      {results.length === 0 ? null : (
        <details>
          <summary className="cursor-pointer text-small text-muted">
            {results.length === 1 ? 'One policy was evaluated' : `${results.length} policies were evaluated`}
          </summary>
          <ul className="flex flex-col gap-3 pt-2">
            {results.map((result) => (
              <Result
                key={`${result.policy} ${result.command} ${result.row}`}
                result={result}
                isDeciding={result.policy === policy}
              />
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

function Result({ result, isDeciding }: { readonly result: PolicyResult; readonly isDeciding: boolean }): JSX.Element {
  const { policy, isPermissive, command, row, expression, passes, fails } = result
  return (
    <li className="flex flex-col gap-1 border-l-2 border-border pl-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className={isDeciding ? 'font-medium' : ''}>{policy}</span>
        <Chip colour={passes === true ? 'green' : 'coral'}>
          {fails !== undefined ? 'fails' : passes === null ? 'null' : passes ? 'true' : 'false'}
        </Chip>
        <span className="text-small text-muted">
          {isPermissive ? '' : 'restrictive, '}for {command}, on the {row === 'new' ? 'new' : 'existing'} row
        </span>
      </div>
      <Expression label={row === 'new' && command !== 'select' ? 'With check' : 'Using'}>{expression}</Expression>
      {fails === undefined ? null : <p className="text-small text-danger">{fails}</p>}
    </li>
  )
}

import type { JSX } from 'react'
import { Disclosure } from '../../components/disclosure.tsx'
import { NoRows, Row, Rows } from '../../components/section.tsx'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'
import type { AccessPreview } from './access-calls.ts'

/** What the rules would change for each member, and their SQL. */
export function RulePreview({ preview }: { readonly preview: AccessPreview }): JSX.Element {
  const { records } = preview
  return (
    <div className="flex flex-col gap-2" role="status">
      <h3 className="text-body font-medium">{words.members}</h3>
      {preview.members.length === 0 ? (
        <NoRows>{words.nobody}</NoRows>
      ) : (
        <Rows label={words.members}>
          {preview.members.map(({ id, name, sees, gains, loses, changes }) => (
            <Row
              key={id}
              title={name}
              mark={
                <span className="flex gap-2 text-small">
                  {gains ? <span className="text-success">{words.gains({ gains })}</span> : null}
                  {loses ? <span className="text-danger">{words.loses({ loses })}</span> : null}
                </span>
              }
            >
              {words.sees({ sees, records })}, {words.edits({ changes })}
            </Row>
          ))}
        </Rows>
      )}
      {preview.isPartial ? <p className="text-small text-muted">{words.partial}</p> : null}
      <Disclosure title={words.details}>
        {/* Makes it scrollable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre
          tabIndex={0}
          className="max-h-96 overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-small text-text"
        >
          {preview.sql}
        </pre>
      </Disclosure>
    </div>
  )
}

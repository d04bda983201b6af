import type { JSX } from 'react'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { RemoveButton, useLoadedTemplates } from '../../components/records/loaded-templates.tsx'
import { templateMessages as words } from '../../messages/templates.ts'

/** Tells owners and admins about the sample records of templates, and offers to remove them. */
export function SampleNotice({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const loads = useLoadedTemplates().filter(({ samples }) => samples > 0)
  const [only] = loads
  if (!only) return null
  return (
    <Notice
      title={words.sampleNotice}
      actions={
        <>
          {loads.length === 1 ? <RemoveButton load={only} what="samples" /> : null}
          <LinkButton size="sm" to="/w/$ws/templates" params={{ ws: workspace }}>
            {words.manage}
          </LinkButton>
        </>
      }
    >
      {words.sampleOf(loads.map(({ name }) => name).join(', '))}
    </Notice>
  )
}

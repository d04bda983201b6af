import type { JSX } from 'react'
import { Button } from '../button.tsx'
import { TextVersions } from './text-versions.tsx'
import { Notice } from '../notice.tsx'
import { textMessages as words } from '../../messages/texts.ts'
import type { TextsInConflict } from '../../lib/fields/settle-text.ts'

/** Resolves conflicting edits of a text: nothing is saved before the user chooses. */
export function TextConflict({
  conflict: { mine, theirs, both },
  onChoose,
}: {
  readonly conflict: TextsInConflict
  readonly onChoose: (text: string) => void
}): JSX.Element {
  return (
    <Notice
      tone="warning"
      role="alert"
      title={words.changedMeanwhile}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onPress={() => onChoose(mine)}>
            {words.keepMine}
          </Button>
          <Button size="sm" onPress={() => onChoose(theirs)}>
            {words.keepTheirs}
          </Button>
          <Button size="sm" onPress={() => onChoose(both)}>
            {words.keepBoth}
          </Button>
        </div>
      }
    >
      <p className="pb-2">{words.changedDetail}</p>
      <TextVersions mine={{ title: words.yours, text: mine }} theirs={{ title: words.theirs, text: theirs }} />
    </Notice>
  )
}

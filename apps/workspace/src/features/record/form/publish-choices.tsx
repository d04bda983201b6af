import type { JSX } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Select } from '../../../components/select.tsx'
import { useBackend } from '../../../lib/data/backend-context.tsx'
import type { FileRules } from '../../../lib/fields/question.ts'
import { publishMessages as words } from '../../../messages/public-form.ts'

const COUNTS = [1, 2, 3, 5, 10]
const MEGABYTES = [2, 5, 10, 25]

/** Whether visitors pass a captcha. */
export function CaptchaChoice(props: {
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
}): JSX.Element {
  const { captcha } = useBackend().config
  return (
    <div>
      <Checkbox {...props}>{words.captcha}</Checkbox>
      <p className="text-small text-muted">{words.captchaOf(captcha.ofForms)}</p>
    </div>
  )
}

/** What the questions for files take. */
export function FilesChoice({
  files,
  onChange,
}: {
  readonly files: FileRules
  readonly onChange: (files: FileRules) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-3">
        <Select
          label={words.filesMax}
          value={String(files.max)}
          options={optionsOf(COUNTS, files.max)}
          onChange={(value) => onChange({ ...files, max: Number(value) })}
        />
        <Select
          label={words.filesMegabytes}
          value={String(files.megabytes)}
          options={optionsOf(MEGABYTES, files.megabytes)}
          onChange={(value) => onChange({ ...files, megabytes: Number(value) })}
        />
      </div>
      <Checkbox
        isSelected={files.kinds === 'photos'}
        onChange={(isSelected) => onChange({ ...files, kinds: isSelected ? 'photos' : 'any' })}
      >
        {words.filesPhotos}
      </Checkbox>
    </div>
  )
}

function optionsOf(numbers: readonly number[], present: number): { readonly value: string; readonly label: string }[] {
  const all = [...new Set([...numbers, present])].toSorted((a, b) => a - b)
  return all.map((number) => ({ value: String(number), label: String(number) }))
}

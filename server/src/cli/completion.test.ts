import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from './commands/commands.ts'
import { completion } from './completion.ts'

function script(shell: string): string {
  let text = ''
  completion({ words: [shell], flags: {}, env: {}, out: (part) => (text += part), err: () => undefined }, COMMANDS)
  return text
}

/** Returns bash's completions for a partial command line. */
function offered(line: string): readonly string[] {
  const words = ['holdfast', ...line.split(' ')]
  const program = `${script('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '')
}

describe('completion in bash', () => {
  test('offers the commands, and the second words of those that have them', () => {
    expect(offered('st')).toEqual(['start', 'stop', 'status', 'storage'])
    expect(offered('db ')).toEqual(expect.arrayContaining(['reset', 'push']))
    expect(offered('--json migration l')).toEqual(['list'])
    expect(offered('completion ')).toEqual(['bash', 'zsh', 'fish'])
  })

  test('offers the options of the command, after its arguments as well', () => {
    expect(offered('db reset --no')).toEqual(['--no-seed', '--no-project-migrations'])
    expect(offered('db push --see')).toEqual([])
    expect(offered('backup folder --postgres-t')).toEqual(['--postgres-tools'])
    expect(offered('start --db-p')).toEqual(['--db-port'])
  })

  test('offers no secret: everybody on the machine can read a command line', () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(script(shell)).not.toMatch(/service-key|jwt-secret|database-url/)
  })
})

test('a shell that is not known is refused with those that are', () => {
  expect(() => script('bsh')).toThrow(
    expect.objectContaining({ code: 'option_invalid', hint: expect.stringContaining('bash') }),
  )
  expect(() => script('toString')).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})

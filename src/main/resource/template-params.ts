import type { Operator } from '../../shared/template.ts';
import type { ActionDescription } from './action.ts';
import type { InputParams, InputScalar, InputValue, PresentValue } from './params.ts';

/**
 * The parameters of an action, as its template and its checks name them; those with a check are required. Where the
 * compiler does not know the exact text of the template or the names of the checks, any parameters are allowed.
 */
export type ActionParams<Action extends ActionDescription> =
  IsKnown<Action['url']> extends true
    ? IsKnown<CheckedNames<Action>> extends true
      ? NamedParams<Action['url'], CheckedNames<Action>>
      : InputParams
    : InputParams;

type NamedParams<Url extends string, Checked extends string> = [TemplateNames<Url> | Checked] extends [never]
  ? NoParams
  : Flat<
      { [Name in Checked]: IfCut<Name, Url, InputScalar, PresentValue> } & {
        [Name in Exclude<TemplateNames<Url>, Checked>]?: IfCut<
          Name,
          Url,
          InputScalar | null | undefined,
          InputValue
        >;
      }
    >;

/** An empty object type would accept every object. */
type NoParams = Readonly<Record<string, undefined>>;

/** A prefix modifier cannot cut a list or a map (RFC 6570 section 2.4.1): the worker refuses that. */
type IfCut<Name extends string, Url extends string, Cut, Whole> =
  `${Name}:` extends CutMark<VariablesOf<Url>> ? Cut : Whole;

/** The names of a template's variables, without duplicates, as `templateNames` finds them. */
export type TemplateNames<Url extends string> = NameOf<VariablesOf<Url>>;

/** The variables as written, without the operator of their expression: `id`, `size=medium`, `tags*`, `name:3`. */
type VariablesOf<
  Url extends string,
  Found extends string = never,
> = Url extends `${string}{${infer Inside}}${infer Rest}`
  ? VariablesOf<Rest, Found | Listed<Inside extends `${Exclude<Operator, ''>}${infer List}` ? List : Inside>>
  : Found;

type Listed<List extends string, Found extends string = never> = List extends `${infer First},${infer Rest}`
  ? Listed<Rest, Found | First>
  : Found | List;

type NameOf<Variable extends string> = Variable extends unknown ? Unmodified<HeadOf<Variable>> : never;

type Unmodified<Head extends string> = Head extends `${infer Name}*`
  ? Name
  : Head extends `${infer Name}:${string}`
    ? Name
    : Head;

/** `name:` for each variable with a prefix modifier. */
type CutMark<Variable extends string> = Variable extends unknown
  ? HeadOf<Variable> extends `${infer Name}:${string}`
    ? `${Name}:`
    : never
  : never;

/** A variable without its default, which may contain any character except a brace and a comma. */
type HeadOf<Variable extends string> = Variable extends `${infer Head}=${string}` ? Head : Variable;

type CheckedNames<Action extends ActionDescription> = Action extends { readonly check: infer Checks }
  ? keyof Checks & string
  : never;

/** True where the compiler knows the exact text: `string` and `/photo/${string}` make an index signature. */
type IsKnown<Text extends string> = [Text] extends [never]
  ? true
  : { readonly none?: unknown } extends Record<Text, unknown>
    ? false
    : true;

/** Makes one object type of an intersection, as editors show it. */
type Flat<T> = T extends infer Params ? { [Name in keyof Params]: Params[Name] } : never;

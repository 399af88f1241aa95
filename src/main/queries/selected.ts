/** The type that a JSON Pointer leads to, as far as the compiler sees. */
export type SelectedOf<Value, Pointer extends string> = Pointer extends ''
  ? Value
  : Pointer extends `/${infer Way}`
    ? AlongOf<Value, Way>
    : unknown;

type AlongOf<Value, Way extends string> = Way extends `${infer Name}/${infer Rest}`
  ? AlongOf<MemberOf<Value, Name>, Rest>
  : MemberOf<Value, Way>;

type MemberOf<Value, Name extends string> =
  NonNullable<Value> extends readonly (infer Row)[]
    ? Row
    : Name extends keyof NonNullable<Value>
      ? NonNullable<Value>[Name]
      : unknown;

/** Members that are not kept alive by this. Its size follows that of the members that are alive. */
export class WeakMembers<Member extends object> {
  #members: WeakRef<Member>[] = [];
  /** So many members are there before those that are gone are looked for. */
  #room = 16;

  add(member: Member): void {
    if (this.#members.length >= this.#room) {
      this.#members = this.#members.filter((each) => each.deref());
      this.#room = Math.max(16, this.#members.length * 2);
    }
    this.#members.push(new WeakRef(member));
  }

  get all(): Member[] {
    return this.#members.flatMap((each) => each.deref() ?? []);
  }
}

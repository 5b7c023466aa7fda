//! What a script may be expected to have, and its rules, in both languages.
//!
//! Invariants: those of the module above; what is a word of the grammar is the same in both languages.

use crate::scenario::words::wordings;

wordings! {
    /// What was expected.
    Thing {
        /// A text ends before the next word.
        Blank: "a blank after the quoted text", "引号文本之后的空格";
        /// What runs in a console.
        Command: "a command after the console", "控制台之后的命令";
        /// Nothing behind Ctrl-C.
        EndAfterInterrupt: "the end of the line after ^C", "^C 之后的行尾";
        /// Nothing behind a claim.
        End: "the end of the line (a text with blanks stands in quotes)", "行尾（含空格的文本要加引号）";
        /// A person's answer.
        Reply: "what is replied", "答复的内容";
        /// A claim that can be waited for.
        Waitable: "another claim before this place: nobody can wait for \"no write lost\", only expect it",
            "另一个条件：“no write lost” 不能等待，只能用 expect 检查";
        /// What a question asks for.
        Answer: "leader, quorum, term, revision, members, voters, learners, running, elections, or whether and a claim",
            "leader、quorum、term、revision、members、voters、learners、running、elections，或者 whether 加一个条件";
        /// A title.
        Title: "a title", "标题";
        /// A tag.
        Language: "a language such as en or zh", "语言，例如 en 或 zh";
        /// Of a script.
        Version: "the script's version, 1 or 2", "脚本的版本：1 或 2";
        /// Of a cluster.
        Seed: "a seed: a number below 2^64", "seed：小于 2^64 的数字";
        /// The heartbeat.
        Tick: "a tick of 1ms to 5s", "1ms 到 5s 之间的 tick";
        /// The election timeout.
        Election: "an election timeout up to 50s", "最长 50s 的选举超时";
        /// It counts ticks.
        ElectionTicks: "an election timeout of 5 or more whole ticks", "选举超时为 tick 的整数倍，至少 5 个 tick";
        /// Of the store.
        Quota: "a quota such as 16MiB, 8GiB at most", "配额，例如 16MiB，最多 8GiB";
        /// A switch.
        OnOff: "on or off", "on 或 off";
        /// Of a run.
        Engine: "the engine's number", "引擎的编号";
        /// Between two hashes.
        Every: "a number of steps, 1 or more", "步数，至少为 1";
        /// Of a run.
        Hash: "16 hexadecimal digits", "16 位十六进制数";
        /// Of its steps.
        StepHashes: "four hexadecimal digits a step", "每步四位十六进制数";
        /// Of auto-compaction.
        Mode: "periodic or revision", "periodic 或 revision";
        /// A flag with its value.
        Flag: "--flag=value", "--flag=value";
        /// How claims begin.
        Claim: "leader, no leader, infra1 … infra7, all, links, term, revision, members, voters, learners, running, elections, event, events, output, error, status, wrote, refused, read, @1 … @9, no write lost, hashes or not",
            "leader、no leader、infra1 … infra7、all、links、term、revision、members、voters、learners、running、elections、event、events、output、error、status、wrote、refused、read、@1 … @9、no write lost、hashes 或 not";
        /// A claim is denied once.
        NotAndClaim: "one \"not\" only, and a claim behind it", "只有一个 not，后面是一个条件";
        /// The same.
        OneNot: "one \"not\" only", "只有一个 not";
        /// Behind `no`.
        NoWhat: "\"leader\" or \"write lost\" after \"no\"", "no 之后的 leader 或 write lost";
        /// How numbers compare.
        Compare: "is, is not, >, >=, < or <= and a number", "is、is not、>、>=、< 或 <= 和一个数字";
        /// The same, where they can rise.
        CompareOrRose: "is, is not, >, >=, < or <= and a number, or rose",
            "is、is not、>、>=、< 或 <= 和一个数字，或者 rose";
        /// Of a pair.
        Key: "a key", "一个 key";
        /// Of a pair.
        Value: "a value", "一个 value";
        /// Behind `read`.
        KeyOrFailed: "a key, or failed", "一个 key，或者 failed";
        /// Behind its key.
        ReadValue: "the value that was read", "读到的 value";
        /// An exit status.
        IsNumber: "\"is\" and a number", "is 和一个数字";
        /// Of a member.
        IsState: "\"is\" and a state", "is 和一个状态";
        /// What is claimed of an output.
        Test: "is, contains or lacks and a text, or is empty",
            "is、contains 或 lacks 和一段文本，或者 is empty";
        /// A text in one of three ways.
        Text: "a text: a word, \"in quotes\", or <<END with lines below it up to END",
            "文本：一个词、加引号的文本，或者 <<END 加下面直到 END 的各行";
        /// What is claimed of a console.
        OfConsole: "output, error, status or saw", "output、error、status 或 saw";
        /// What a watch saw.
        Saw: "each event once, or a key and the values of one message",
            "each event once，或者一个 key 和同一条消息中的各个 value";
        /// Of one message.
        SawValues: "the values of one message", "同一条消息中的各个 value";
    }
}

wordings! {
    /// What may follow what.
    Rule {
        /// Quotes end.
        OpenQuotes: "the quotes that open here are never closed: end the text with \"",
            "这里的引号没有结束：请在文本末尾加上 \"";
        /// What stands above is of version 2.
        NeedsTwo: "what stands above needs version 2; expected script: 2",
            "上面的内容需要版本 2，请写 script: 2";
        /// Below a question stands its answer.
        AnswerBelow: "expected \"answer …\" below the question, with what is right",
            "问题下面应写 “answer …”，给出正确答案";
        /// `means` belongs to a claim.
        MeansAlone: "\"means\" says a goal or an expectation in words: expected one before it",
            "“means” 用文字说明目标或预期，前面应有 goal 或 expect";
        /// An answer belongs to a question.
        AnswerAlone: "expected a question before its answer: ask …", "答案之前应有问题：ask …";
        /// A reply does, too.
        ReplyAlone: "there is nothing to reply to: expected a question before, ask … and answer …",
            "没有可答复的问题：前面应有 ask … 和 answer …";
        /// Solutions hold no others.
        SolutionWithin: "a solution cannot begin within another: expected \"end\" first",
            "solution 不能嵌套：应先写 “end”";
        /// `end` ends a solution.
        EndAlone: "no solution is open here: expected \"solution\" before \"end\"",
            "这里没有打开的 solution：“end” 之前应有 “solution”";
        /// Solutions hold no parts.
        PartWithin: "a part cannot begin within a solution: expected \"end\" first",
            "solution 之内不能开始新的部分：应先写 “end”";
        /// Solutions hold no goals.
        GoalWithin: "a goal cannot stand within a solution: expected \"end\" first",
            "solution 之内不能写 goal：应先写 “end”";
        /// Questions have an answer.
        Unanswered: "this question has no answer: expected \"answer …\" on the next line",
            "这个问题没有答案：下一行应为 “answer …”";
        /// Solutions end.
        OpenSolution: "this solution never ends: expected \"end\" after its steps",
            "这个 solution 没有结束：步骤之后应写 “end”";
    }
}

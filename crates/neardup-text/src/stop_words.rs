//! Stop words: words that carry little of a text's content, in named lists.
//!
//! * [`list`]: the words of a list, sorted by their UTF-8 bytes for binary search.
//! * [`names`]: the names of all lists.
//!
//! Numerals, negations (不, 没, 无) and words of state (已, 将, 未) are deliberately not in the lists: they are short and common, but
//! they distinguish an update from a copy. Words are in normalised form (NFKC, case-folded) and in simplified characters. A list is
//! part of every signature made with it, so it never changes; an improved list gets a new name.

use crate::{Error, ErrorKind, Result};
use std::sync::LazyLock;

/// Every list, by name.
static LISTS: LazyLock<[(&str, Vec<&str>); 3]> = LazyLock::new(|| {
    [("chinese", sorted(CHINESE)), ("english", sorted(ENGLISH)), ("news_chinese", sorted(NEWS_CHINESE))]
});

/// Returns the names of the lists, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LISTS.iter().map(|&(name, _)| name)
}

/// Returns a list of stop words: `chinese` (particles, pronouns, prepositions, conjunctions, measure words, adverbs,
/// auxiliary verbs), `news_chinese` (what datelines, bylines and credits are made of), `english`.
///
/// Each word occurs once; the order is that of the UTF-8 bytes.
///
/// # Errors
/// `InvalidParameter` for a name that no list has.
pub fn list(name: &str) -> Result<&'static [&'static str]> {
    LISTS.iter().find(|(other, _)| *other == name).map(|(_, words)| words.as_slice()).ok_or_else(|| {
        let names: Vec<String> = names().map(|name| format!("\"{name}\"")).collect();
        Error::new(ErrorKind::InvalidParameter, format!("unrecognized stop word list: \"{name}\""))
            .with_hint(format!("Stop word lists are {}.", names.join(", ")))
    })
}

fn sorted(groups: &[&'static str]) -> Vec<&'static str> {
    let mut words: Vec<&str> = groups.iter().flat_map(|group| group.split_whitespace()).collect();
    words.sort_unstable();
    words
}

/// One line or more for each kind of word.
const CHINESE: &[&str] = &[
    // Particles and interjections.
    "的 地 得 之 了 着 过 吗 呢 吧 啊 呀 哇 哦 噢 嗯 哎 唉 嘛 啦 咯 喽 嘿 哈 哼 呵 呵呵 哈哈 嘻嘻 哎呀 哎哟 似的 \
     来着 罢了 而已 的话 云云 所 矣 焉 哉 兮 乎",
    // Personal, reflexive and indefinite pronouns.
    "我 你 您 他 她 它 我们 你们 他们 她们 它们 咱 咱们 俺 俺们 自己 自身 本人 本身 别人 他人 人家 人们 大家 大伙 \
     彼此 各自 有人 某人 某 某个 某些 某种 各 各个 各种 各类 各位 各项 每 每个 每位 每种 每次 任何 其他 其它 其余 \
     其中 其 另 另外 另一 旁人",
    // Demonstratives.
    "这 那 这个 那个 这些 那些 这种 那种 这样 那样 这么 那么 这里 那里 这儿 那儿 这边 那边 这次 那次 这时 那时 这般 \
     那般 此 该 本 此次 此处 此时 此类 如此 这样一来 上述 下列 以下 以上 前者 后者 同一 同样 一样 一般 一切 一些 \
     一个 一种 一下 一点 有些 有的 许多 不少 很多 若干 所有 全部 全体 整个 多数 少数",
    // Question words.
    "谁 什么 啥 哪 哪个 哪些 哪里 哪儿 哪怕 怎 怎么 怎样 怎么样 如何 为什么 为何 何 何时 何处 何以 何况 几 几个 \
     多少 多么 多 是否 能否 可否 难道 岂 究竟 到底",
    // Prepositions.
    "在 于 从 自 自从 由 由于 向 往 朝 朝着 对 对于 关于 至于 给 为 为了 为着 以 用 按 按照 依 依照 依据 根据 据 凭 \
     凭借 通过 经 经过 沿 沿着 随 随着 趁 趁着 当 当着 把 被 让 叫 令 使 使得 与 和 跟 同 及 以及 比 比如 除 除了 \
     除外 连 连同 鉴于 基于 有关 相关 针对 围绕 作为 本着 至 自打 就算",
    // Conjunctions and connecting phrases.
    "并 并且 而 而且 且 况且 或 或者 或是 还是 要么 不仅 不但 不光 不只 不管 不论 无论 不过 不然 不如 但 但是 可是 \
     然而 却 只是 只有 只要 除非 虽 虽然 虽说 尽管 即使 即便 纵然 如 如果 若 若是 假如 假使 倘若 要是 要不 要不然 \
     否则 因 因为 因此 因而 故 故而 所以 于是 从而 以便 以免 以至 以至于 以致 致使 既 既然 既是 与其 宁可 宁愿 则 \
     乃 乃至 甚至 甚而 甚至于 何必 总之 总而言之 综上所述 换言之 换句话说 也就是说 也就是 就是说 即 亦即 例如 譬如 \
     诸如 比方 此外 再者 再说 再则 首先 其次 最后 一方面 另一方面 一来 二来 与此同时 同时 反之 反而 反过来 相反 \
     接着 然后 而后 随后 后来 之后 之前 以后 以前 以来 之间 之内 之外 之中 之一 之类 等 等等 等到 起来 为止 来说 \
     来讲 来看 看来 而言 而是 可见 由此 由此可见 据此 对此 为此 就此 因之 至此 从此 不料 所谓 似乎 好像 仿佛 宛如 \
     犹如 好比 像 一旦 一边 一面",
    // Adverbs of degree, scope, manner and time.
    "很 非常 十分 极 极其 极为 太 更 更加 更为 最 最为 较 较为 比较 相当 颇 颇为 稍 稍微 略 略微 有点 挺 越 越来越 \
     愈 愈加 尤其 特别 格外 分外 过于 何等 都 也 还 又 再 再次 就 才 只 仅 仅仅 单单 光 便 亦 均 皆 俱 总 总是 共 \
     一共 总共 一同 一起 一并 一直 一向 一再 往往 常 常常 经常 时常 时时 不时 不断 不停 偶尔 有时 有时候 屡次 再三 \
     反复 逐渐 逐步 渐渐 日益 慢慢 忽然 突然 猛然 立即 立刻 马上 顿时 随即 当即 刚 刚刚 刚才 恰好 恰恰 正好 正是 正 \
     早就 终于 毕竟 居然 竟 竟然 果然 其实 实际上 事实上 的确 确实 真 真的 真是 实在 简直 几乎 差不多 大约 大概 \
     大致 大体 大都 大多 左右 上下 大抵 约 约莫 也许 或许 可能 恐怕 想必 不必 难免 难以 必 必定 必须 必然 一定 当然 \
     自然 显然 显而易见 分明 原来 本来 根本 归根到底 从来 向来 历来 始终 依然 依旧 仍 仍然 仍旧 照样 照常 尚 尚且 \
     暂 暂时 目前 当前 当时 如今 现在 现今 互相 相互 相继 陆续 先后 分别 纷纷 亲自 亲身 特地 特意 专门 故意 偏偏 \
     只好 只得 只能 不得不 不禁 索性 干脆 宁肯 幸好 幸亏 好在 多亏 甚 甚为 尽 尽量 尽可能 尤为 进一步 进而 继而",
    // Auxiliary and empty verbs, and words of direction.
    "是 有 能 能够 会 可 可以 要 想 想要 应 应当 应该 须 需 需要 得以 肯 敢 愿 愿意 打算 来 去 上 下 上来 上去 下来 \
     下去 进来 进去 出 出来 出去 起 过来 过去 进行 加以 予以 给予 给以 作出 做出 做 作 成为 成 变成 变得 位于 属于 \
     处于 处在 在于 出于 用于 至今 有着 具有 带来 称为 叫做 算是 算 看 看到 见 觉得 认为 以为 说 说道 问 问道 道 讲 \
     里 里面 中 内 外 外面 前 前面 后 后面 上面 下面 旁边 旁 边 间 当中 方面 时 时候 期间 地方",
    // Measure words that stand alone after segmentation.
    "个 位 种 些 件 条 次 项 名 们 样 般 番 阵 份 块 家 座 台 部 辆 支 枝 匹 头 首 幅 颗 粒 双 副 套 批 群 层",
];

const NEWS_CHINESE: &[&str] = &[
    // Who writes and who sends.
    "记者 本报 本报记者 本台 本台记者 本网 本网记者 本刊 本社 特约 特约记者 通讯员 实习 实习生 实习记者 见习记者 \
     首席记者 驻 特派 特派员 特派记者 综合 综合报道 整理 撰稿 撰文 供稿 作者 编辑 主编 责编 责任编辑 编审 编译 校对 \
     审核 监制 策划 统筹 摄 摄影 摄影记者 摄像 文字 图文 制图 美编 视频 音频 剪辑 播音 主播 主持人 小编",
    // Which agency, in which form.
    "新华社 新华网 人民网 人民日报 中新社 中新网 中国新闻网 央视 央视网 央广网 光明网 新浪网 搜狐网 腾讯网 凤凰网 \
     中国网 国际在线 澎湃 澎湃新闻 环球网 环球时报 电 讯 电讯 快讯 简讯 消息 据悉 获悉 报道 报导 据报道 据报导 讯息 \
     专电 日电 日讯 综述 述评 特写 独家 专访 连线 导读 导语 摘要 正文 全文 原文 原标题 标题 副题 题",
    // Credits, calls and small print around the text.
    "来源 稿源 转自 转载 转发 摘自 出处 注明 声明 免责 免责声明 版权 版权所有 授权 未经授权 违者必究 侵权 投稿 爆料 \
     热线 电话 邮箱 联系 订阅 关注 微信 微博 公众号 客户端 下载 扫码 扫描 二维码 点击 查看 阅读 更多 详情 链接 网址 \
     网页 网站 首页 频道 栏目 专题 专栏 相关新闻 相关阅读 延伸阅读 分享 收藏 评论 跟帖 点赞 打印 字号 上一页 下一页 \
     返回 完 图 图为 资料图 资料图片 图片 图片来源 配图 组图",
];

const ENGLISH: &[&str] = &[
    // Articles, pronouns, demonstratives.
    "a an the i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself \
     she her hers herself it its itself they them their theirs themselves this that these those who whom whose \
     which what ones someone anyone everyone something anything everything",
    // Prepositions and conjunctions.
    "about above across after against along among amid around as at because before behind below beneath beside \
     besides between beyond but by despite down during except for from if in inside into like near of off on onto \
     or out outside over past per since so than though although through throughout till to toward towards under \
     until unless up upon via while whereas with within without and also both either whether",
    // Auxiliary verbs.
    "am is are was were be been being have has had having do does did doing can could may might must shall should \
     will would ought let lets get gets got",
    // Adverbs, quantifiers, question words.
    "again all almost already always another any away back each else enough ever every few further here how however \
     just less least many more most much often only other others otherwise own perhaps quite rather really same \
     several some soon still such then there therefore thus together too very well when where why yet now instead \
     indeed meanwhile moreover maybe even ago",
    // Contractions, whole and as the pieces a tokenizer makes of them; negated ones are left in the text.
    "i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've \
     we'd we'll they're they've they'd they'll that's that'll there's here's what's who's who'll where's how's \
     let's s d m ll re ve",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{LISTS, list, names};
    use crate::ErrorKind;
    use crate::normalize::{Buffer, Steps, normalize};

    #[test]
    fn a_list_is_sorted_and_has_each_word_once() {
        for (name, words) in LISTS.iter() {
            for pair in words.windows(2) {
                assert!(pair[0] < pair[1], "{name}: {} before {}", pair[0], pair[1]);
            }
        }
    }

    #[test]
    fn words_are_in_normalised_form() {
        let steps = Steps::parse(["nfkc", "casefold", "simplified"]).unwrap();
        for (name, words) in LISTS.iter() {
            for word in words {
                assert_eq!(normalize(word, steps, &mut Buffer::default()), *word, "{name}");
            }
        }
    }

    #[test]
    fn what_tells_an_update_from_a_copy_is_no_stop_word() {
        for name in names() {
            for word in [
                "不", "不是", "没", "没有", "无", "未", "已", "将", "一", "二", "两", "第一", "not", "no", "never",
                "one", "don't",
            ] {
                assert!(list(name).unwrap().binary_search(&word).is_err(), "{name}: {word}");
            }
        }
    }

    #[test]
    fn common_words_are_found() {
        for (name, words) in [
            ("chinese", ["的", "我们", "因为"]),
            ("news_chinese", ["记者", "报道", "责编"]),
            ("english", ["the", "of", "it's"]),
        ] {
            for word in words {
                assert!(list(name).unwrap().binary_search(&word).is_ok(), "{name}: {word}");
            }
        }
    }

    #[test]
    fn an_unknown_name_is_quoted() {
        let error = list("Chinese").unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParameter);
        assert_eq!(error.message, "unrecognized stop word list: \"Chinese\"");
        assert_eq!(error.hint.unwrap(), "Stop word lists are \"chinese\", \"english\", \"news_chinese\".");
    }

    /// Frozen: a list is part of the signatures made with it.
    #[test]
    fn golden() {
        let digest =
            |name| (list(name).unwrap().len(), xxhash_rust::xxh3::xxh3_64(list(name).unwrap().join("\n").as_bytes()));
        assert_eq!(
            ["chinese", "english", "news_chinese"].map(digest),
            [(762, 18332719269319611575), (255, 10367124986528405599), (176, 3974968992509148498)]
        );
    }
}
